#include "worker/communicator.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace breakeven {
namespace {

using Make = std::function<std::unique_ptr<Communicator>()>;

Make& registered() {
  static Make make;
  return make;
}

/// A program without others: its sums are its values.
class Alone final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int ranks_here() const override { return 1; }
  int index_here() const override { return 0; }
  std::string library() const override { return ""; }
  bool reads_device_memory() const override { return false; }
  void sum(float*, std::int64_t) override {}
  void sum_in_order(float*, std::int64_t) override {}
  void start_sum(float*, std::int64_t) override {}
  void advance_sums() override {}
  void finish_sums() override {}
  void sum_of(const float* from, float* to, std::int64_t count) override { std::copy_n(from, count, to); }
  void gather(const void* own, std::int64_t bytes, void* all) override {
    std::memcpy(all, own, static_cast<std::size_t>(bytes));
  }
  void broadcast(void*, std::int64_t, int) override {}
  void barrier() override {}
  double seconds() const override { return 0; }
};

std::unique_ptr<Communicator>& joined() {
  static std::unique_ptr<Communicator> ranks = std::make_unique<Alone>();
  return ranks;
}

std::function<void(const std::string&, bool)>& told_before_the_end() {
  static std::function<void(const std::string&, bool)> tell;
  return tell;
}

/// True if a launcher says which of several processes this is.
bool has_launcher() {
  constexpr std::array variables{"SLURM_PROCID", "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"};
  return std::ranges::any_of(variables, [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

CommunicatorRegistration::CommunicatorRegistration(Make make) {
  registered() = std::move(make);
}

Communicator& communicator() {
  return *joined();
}

bool can_join_ranks() {
  return static_cast<bool>(registered());
}

std::string join_ranks(int wanted) {
  if (!can_join_ranks())
    return "this program was built without MPI, which its ranks communicate by: install it (Debian: "
           "libopenmpi-dev) and build again";
  try {
    joined() = registered()();
  } catch (const std::exception& e) {
    return e.what();
  }
  const int started = communicator().size();
  if (started == wanted) return "";
  if (started == 1 && has_launcher()) {
    return fmt::format(
        "{} does not know the launcher, so that each rank is alone: use srun with --mpi=pmix or --mpi=pmi2 "
        "(srun --mpi=list shows which there are), or the mpirun of the same MPI",
        communicator().library());
  }
  return fmt::format("the launcher started {} rank{}, and {} are needed", started, started == 1 ? "" : "s",
                     wanted);
}

void leave_ranks() {
  joined() = std::make_unique<Alone>();
}

std::string own_host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

void tell_before_the_end(std::function<void(const std::string&, bool)> tell) {
  told_before_the_end() = std::move(tell);
}

void end_all_ranks(const std::string& reason, bool in_every_case) {
  std::cerr << reason << std::endl;
  if (told_before_the_end()) told_before_the_end()(reason, in_every_case);
  // At once: destructors would wait for the other ranks. The launcher and the connections end those.
  std::_Exit(1);
}

}  // namespace breakeven
