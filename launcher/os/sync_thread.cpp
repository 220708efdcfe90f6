#include "os/sync_thread.hpp"

#include <csignal>
#include <utility>

#include "regatta/base/clock.hpp"

namespace regatta::launcher {

SyncThread::SyncThread(std::function<void()> sync) : sync_(std::move(sync)) {
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

void SyncThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || (requested_ > completed_ && !failure_); });
    if (requested_ <= completed_ || failure_) return;
    const std::uint64_t generation = requested_;
    lock.unlock();
    std::exception_ptr failure;
    const double start = steady_seconds();
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
