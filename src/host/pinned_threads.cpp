#include "host/pinned_threads.h"

#include <exception>
#include <memory>
#include <utility>

#include "host/threads.h"

namespace breakeven {

/// One thread. It has a condition of its own, so that it is not woken for the work of others.
struct PinnedThreads::Worker {
  std::condition_variable wake;
  bool has_work = false;
  std::thread thread;
};

PinnedThreads::PinnedThreads(const std::vector<int>& cpus) {
  for (const int cpu : cpus) {
    bool pinned = false;
    std::thread([&] { pinned = set_cpus_of_thread(0, {cpu}); }).join();
    (pinned ? cpus_ : unpinned_).push_back(cpu);
  }
  for (std::size_t i = 0; i < cpus_.size(); ++i) {
    Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
    worker.thread = std::thread([this, &worker, i] { serve(worker, i); });
  }
}

PinnedThreads::~PinnedThreads() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  for (const auto& worker : workers_) {
    worker->wake.notify_one();
    worker->thread.join();
  }
}

void PinnedThreads::serve(Worker& worker, std::size_t index) {
  set_cpus_of_thread(0, {cpus_[index]});
  std::unique_lock lock(mutex_);
  for (;;) {
    worker.wake.wait(lock, [&] { return worker.has_work || stopping_; });
    if (stopping_) return;
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

void PinnedThreads::run_all(const std::function<void(std::size_t)>& work) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < cpus_.size(); ++i) all.push_back(i);
  run(all, work);
}

}  // namespace breakeven
