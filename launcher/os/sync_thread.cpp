#include "os/sync_thread.hpp"

#include <chrono>
#include <csignal>
#include <utility>

#include "regatta/base/clock.hpp"

namespace regatta::launcher {

SyncThread::SyncThread(std::function<void()> sync, double apart_seconds)
    : sync_(std::move(sync)), apart_seconds_(apart_seconds) {
  // Signals are for the main thread, whose waits they interrupt.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

SyncThread::~SyncThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void SyncThread::request(std::uint64_t generation) {
  {
    const std::lock_guard lock(mutex_);
    requested_ = generation;
    if (!is_idle_) return;
    is_idle_ = false;
  }
  wake_.notify_one();
}

std::uint64_t SyncThread::completed() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  return completed_;
}

LogHistogram SyncThread::times() {
  const std::lock_guard lock(mutex_);
  return times_;
}

/// False if there is none, and never will be.
bool SyncThread::wait_for_work(std::unique_lock<std::mutex>& lock, double last_start_seconds) {
  const auto has_work = [this] { return requested_ > completed_ && !failure_; };
  while (!stop_ && !has_work()) {
    is_idle_ = true;
    wake_.wait(lock);
  }
  is_idle_ = false;
  const double left_seconds = last_start_seconds + apart_seconds_ - steady_seconds();
  if (left_seconds > 0) wake_.wait_for(lock, std::chrono::duration<double>(left_seconds), [this] { return stop_; });
  return has_work();
}

void SyncThread::run() {
  std::unique_lock lock(mutex_);
  double start = -apart_seconds_;
  while (wait_for_work(lock, start)) {
    const std::uint64_t generation = requested_;
    lock.unlock();
    std::exception_ptr failure;
    start = steady_seconds();
    try {
      sync_();
    } catch (...) {
      failure = std::current_exception();
    }
    const double taken_seconds = steady_seconds() - start;
    lock.lock();
    times_.add(taken_seconds);
    failure_ = failure;
    if (!failure) completed_ = generation;
  }
}

}  // namespace regatta::launcher
