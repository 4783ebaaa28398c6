#include "host/pinned_threads.h"

#include <utility>

#include "host/threads.h"

namespace breakeven {

PinnedThreads::PinnedThreads(const std::vector<int>& cpus) {
  for (const int cpu : cpus) {
    // In a separate thread, so that the affinity of this one does not change.
    bool pinned = false;
    std::jthread([&] { pinned = set_cpus_of_thread(0, {cpu}); }).join();
    (pinned ? cpus_ : unpinned_).push_back(cpu);
  }
  for (std::size_t i = 0; i < cpus_.size(); ++i) {
    Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
    worker.thread = std::jthread([this, &worker, i](const std::stop_token& stop) { serve(worker, i, stop); });
  }
}

void PinnedThreads::serve(Worker& worker, std::size_t index, const std::stop_token& stop) {
  set_cpus_of_thread(0, {cpus_[index]});
  std::unique_lock lock(mutex_);
  while (worker.wake.wait(lock, stop, [&] { return worker.has_work; })) {
    worker.has_work = false;
    const auto& work = *work_;
    lock.unlock();
    std::exception_ptr error;
    try {
      work(index);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error) error_ = error;
    if (--running_ == 0) done_.notify_one();
  }
}

void PinnedThreads::run(const std::vector<std::size_t>& indices,
                        const std::function<void(std::size_t)>& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  error_ = nullptr;
  running_ = indices.size();
  for (const std::size_t index : indices) workers_[index]->has_work = true;
  lock.unlock();
  for (const std::size_t index : indices) workers_[index]->wake.notify_one();
  lock.lock();
  done_.wait(lock, [&] { return running_ == 0; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace breakeven
