// A pool of threads that sleep until there is work. Each is pinned to one CPU of a list. They end with the
// pool.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace breakeven {

class PinnedThreads {
 public:
  explicit PinnedThreads(const std::vector<int>& cpus);

  /// The CPUs that have a thread.
  const std::vector<int>& cpus() const { return cpus_; }
  /// The CPUs to which the kernel refused to pin a thread.
  const std::vector<int>& unpinned() const { return unpinned_; }

  /// Runs work(i) on the thread of cpus()[i] for each i of `indices`, all at the same time, and returns when
  /// all are done. The other threads stay asleep. Rethrows an exception of `work`.
  void run(const std::vector<std::size_t>& indices, const std::function<void(std::size_t)>& work);

 private:
  /// One thread. It has its own condition variable, so that it is not woken for the work of others.
  struct Worker {
    std::condition_variable_any wake;
    bool has_work = false;
    std::jthread thread;
  };
  void serve(Worker& worker, std::size_t index, const std::stop_token& stop);

  std::vector<int> cpus_, unpinned_;
  std::mutex mutex_;
  std::condition_variable done_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::exception_ptr error_;
  std::size_t running_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;  // last: the threads use the members above until they end
};

}  // namespace breakeven
