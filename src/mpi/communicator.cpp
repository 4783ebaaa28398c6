// Ranks that communicate by MPI. Linked to every backend program.
#include "worker/communicator.h"

#include <fmt/format.h>
#include <mpi.h>
#if __has_include(<mpi-ext.h>)  // Open MPI's
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/steady_clock.h"

namespace breakeven {
namespace {

/// Adds the time of its life to `sum`.
class Timed {
 public:
  explicit Timed(double& sum) : sum_(sum) {}
  ~Timed() { sum_ += seconds_since(start_); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  Timed(Timed&&) = delete;
  Timed& operator=(Timed&&) = delete;

 private:
  double& sum_;
  Clock::time_point start_ = Clock::now();
};

void check(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw std::runtime_error(fmt::format("{}: {}", call, text.data()));
}

/// "Open MPI 4.1.4" from "Open MPI v4.1.4, package: ...", "MPICH 4.0.2" from "MPICH Version:\t4.0.2\n...".
std::string library_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string first(text.data());
  first.resize(std::min(first.size(), first.find_first_of(",\n")));
  for (const auto& [from, to] : {std::pair{"MPI v", "MPI "}, {"Version:", ""}, {"\t", " "}, {"  ", " "}}) {
    if (const auto at = first.find(from); at != std::string::npos)
      first.replace(at, std::char_traits<char>::length(from), to);
  }
  return first;
}

bool says_that_it_reads_device_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) || (defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

/// MPI counts in int.
int to_count(std::int64_t count) {
  if (count > std::numeric_limits<int>::max())
    throw std::runtime_error(fmt::format("{} values or bytes are more than MPI moves in one call", count));
  return static_cast<int>(count);
}

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator() {
    int provided = 0;
    // Only one thread of a rank communicates.
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm here = MPI_COMM_NULL;
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here),
          "MPI_Comm_split_type");
    MPI_Comm_rank(here, &index_here_);
    MPI_Comm_size(here, &ranks_here_);
    MPI_Comm_free(&here);
  }
  ~MpiCommunicator() override { MPI_Finalize(); }
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;
  MpiCommunicator(MpiCommunicator&&) = delete;
  MpiCommunicator& operator=(MpiCommunicator&&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int ranks_here() const override { return ranks_here_; }
  int index_here() const override { return index_here_; }
  std::string library() const override { return library_name(); }
  bool reads_device_memory() const override { return says_that_it_reads_device_memory(); }

  void sum(float* values, std::int64_t count) override {
    const Timed timed(seconds_);
    check(MPI_Allreduce(MPI_IN_PLACE, values, to_count(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
          "MPI_Allreduce");
  }

  /// Each rank adds up one part of all ranks' values in their order, and all collect the parts. As many bytes
  /// are moved as by the usual algorithms.
  void sum_in_order(float* values, std::int64_t count) override {
    const Timed timed(seconds_);
    std::vector<int> counts, starts;
    for (int r = 0; r < size_; ++r) {
      starts.push_back(to_count(count * r / size_));
      counts.push_back(to_count(count * (r + 1) / size_) - starts.back());
    }
    const int own = counts[static_cast<std::size_t>(rank_)];
    std::vector<int> own_counts(counts.size(), own), own_starts(counts.size());
    for (int r = 0; r < size_; ++r) own_starts[static_cast<std::size_t>(r)] = own * r;
    parts_.resize(static_cast<std::size_t>(own) * counts.size());
    check(MPI_Alltoallv(values, counts.data(), starts.data(), MPI_FLOAT, parts_.data(), own_counts.data(),
                        own_starts.data(), MPI_FLOAT, MPI_COMM_WORLD),
          "MPI_Alltoallv");
    for (int r = 1; r < size_; ++r) {
      const float* from = parts_.data() + own_starts[static_cast<std::size_t>(r)];
      for (int i = 0; i < own; ++i) parts_[static_cast<std::size_t>(i)] += from[i];
    }
    check(MPI_Allgatherv(parts_.data(), own, MPI_FLOAT, values, counts.data(), starts.data(), MPI_FLOAT,
                         MPI_COMM_WORLD),
          "MPI_Allgatherv");
  }

  void start_sum(float* values, std::int64_t count) override {
    const Timed timed(seconds_);
    check(MPI_Iallreduce(MPI_IN_PLACE, values, to_count(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                         &started_.emplace_back()),
          "MPI_Iallreduce");
  }
  void advance_sums() override {
    if (started_.empty()) return;
    const Timed timed(seconds_);
    int done = 0;
    check(MPI_Testall(static_cast<int>(started_.size()), started_.data(), &done, MPI_STATUSES_IGNORE),
          "MPI_Testall");
  }
  void finish_sums() override {
    if (started_.empty()) return;
    const Timed timed(seconds_);
    check(MPI_Waitall(static_cast<int>(started_.size()), started_.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
    started_.clear();
  }

  void sum_of(const float* from, float* to, std::int64_t count) override {
    check(MPI_Allreduce(from, to, to_count(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
  }
  void gather(const void* own, std::int64_t bytes, void* all) override {
    check(MPI_Allgather(own, to_count(bytes), MPI_BYTE, all, to_count(bytes), MPI_BYTE, MPI_COMM_WORLD),
          "MPI_Allgather");
  }
  void broadcast(void* data, std::int64_t bytes, int root) override {
    check(MPI_Bcast(data, to_count(bytes), MPI_BYTE, root, MPI_COMM_WORLD), "MPI_Bcast");
  }
  void barrier() override { check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier"); }

  double seconds() const override { return seconds_; }

 private:
  int rank_ = 0, size_ = 1;
  int index_here_ = 0, ranks_here_ = 1;
  std::vector<MPI_Request> started_;
  std::vector<float> parts_;
  double seconds_ = 0;
};

const CommunicatorRegistration mpi([] { return std::make_unique<MpiCommunicator>(); });

}  // namespace
}  // namespace breakeven
