// A pool of threads, one pinned to each CPU of a list, that sleep until there is work.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

namespace breakeven {

class PinnedThreads {
 public:
  explicit PinnedThreads(const std::vector<int>& cpus);
  ~PinnedThreads();  // ends the threads
  PinnedThreads(const PinnedThreads&) = delete;
  PinnedThreads& operator=(const PinnedThreads&) = delete;
  PinnedThreads(PinnedThreads&&) = delete;
  PinnedThreads& operator=(PinnedThreads&&) = delete;

  /// The CPUs that have a thread.
  const std::vector<int>& cpus() const { return cpus_; }
  /// CPUs that the kernel refused to pin a thread to.
  const std::vector<int>& unpinned() const { return unpinned_; }

  /// Runs work(i) on the thread of cpus()[i], for each i of `indices` at the same time, and returns when all
  /// are done. Threads that are not in `indices` go on sleeping. What work throws is thrown again here.
  void run(const std::vector<std::size_t>& indices, const std::function<void(std::size_t)>& work);
  void run_all(const std::function<void(std::size_t)>& work);

 private:
  struct Worker;
  void serve(Worker& worker, std::size_t index, const std::stop_token& stop);

  std::vector<int> cpus_, unpinned_;
  std::mutex mutex_;
  std::condition_variable done_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::exception_ptr error_;
  std::size_t running_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;  // last: its threads use all of the above until they end
};

}  // namespace breakeven
