#include "worker/communicator.h"

#include <fmt/format.h>

#include <algorithm>
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
  return fmt::format("the launcher started {} rank{}, and {} are needed: does --launcher contain {{ranks}}?",
                     started, started == 1 ? "" : "s", wanted);
}

void leave_ranks() {
  joined() = std::make_unique<Alone>();
}

void end_all_ranks(const std::string& reason) {
  std::cerr << reason << std::endl;
  // At once: destructors would wait for the other ranks. The launcher and the connections end those.
  std::_Exit(1);
}

}  // namespace breakeven
