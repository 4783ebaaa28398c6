// Communication between ranks: processes that compute one case together, each with its part of the data. It
// is carried by MPI (src/mpi). Arrays on a GPU also go by NCCL (src/backends/cuda/device_ranks.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "workloads/interface.h"

namespace breakeven {

/// Sums of f32 over all ranks. Every call is collective: all ranks make it, in the same order and with the
/// same sizes.
class Sums : public Interface {
 public:
  /// Replaces `count` values by their sums over all ranks.
  virtual void sum(float* values, std::int64_t count) = 0;
  /// Replaces `count` values by their sums, added in the order of ranks, so that every run rounds alike.
  virtual void sum_in_order(float* values, std::int64_t count) = 0;
  /// Starts sum(). Nothing may touch the values until finish_sums() has returned.
  virtual void start_sum(float* values, std::int64_t count) = 0;
  /// Lets started sums advance, because libraries without a thread of their own do so only inside a call.
  virtual void advance_sums() = 0;
  virtual void finish_sums() = 0;
};

/// The ranks of a job. Every call that moves data is collective.
class Communicator : public Sums {
 public:
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// The number of ranks on this rank's host, and this rank's index among them.
  virtual int ranks_here() const = 0;
  virtual int index_here() const = 0;
  /// The library that moves the data, with its version, such as "Open MPI 4.1.4".
  virtual std::string library() const = 0;
  /// True if the library says that it reads and writes the memory of GPUs.
  virtual bool reads_device_memory() const = 0;

  /// Writes the sums of `from` over all ranks to `to`.
  virtual void sum_of(const float* from, float* to, std::int64_t count) = 0;
  /// Collects `bytes` bytes of each rank in `all`, in the order of ranks.
  virtual void gather(const void* own, std::int64_t bytes, void* all) = 0;
  /// Copies the data of `root` to all ranks.
  virtual void broadcast(void* data, std::int64_t bytes, int root) = 0;
  /// Returns when all ranks have called it.
  virtual void barrier() = 0;

  /// The seconds spent in the sums of steps so far, including the time in which others were not ready. Not
  /// those of sum_of(), gather() and broadcast(), which a case times by itself: two more readings of the
  /// clock would show.
  virtual double seconds() const = 0;
};

/// Registers a library that can carry data between ranks. `make` joins the ranks that the launcher has
/// started, and throws std::runtime_error if there are none.
struct CommunicatorRegistration {
  explicit CommunicatorRegistration(std::function<std::unique_ptr<Communicator>()> make);
};

/// The ranks that this program has joined; itself alone if there are no others.
Communicator& communicator();

/// True if this program has a library that can carry data between ranks.
bool can_join_ranks();
/// Joins the `wanted` ranks that the launcher has started. Returns why that is impossible; empty if
/// communicator() has them now.
std::string join_ranks(int wanted);
/// Leaves them. Waits until all do.
void leave_ranks();

/// The name of this rank's host.
std::string own_host_name();

/// Ends this program, and with it all ranks. The reason is on standard error, and told to the driver.
/// `in_every_case`: the ranks of any other case would end for it, too, and only after a while.
[[noreturn]] void end_all_ranks(const std::string& reason, bool in_every_case = false);
/// `tell` is called before the end, with what end_all_ranks() gets; null: nothing is called.
void tell_before_the_end(std::function<void(const std::string& reason, bool in_every_case)> tell);

}  // namespace breakeven
