// fdatasync on its own thread, while the coordinator goes on: one for all that came since the last one began.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "regatta/base/log_histogram.hpp"

namespace regatta::launcher {

class SyncThread {
 public:
  /// `sync` makes everything durable that was appended before it is called. It begins at once after a pause, but no
  /// sooner than `apart_seconds` after the one before it began, so that quick results share one.
  explicit SyncThread(std::function<void()> sync, double apart_seconds = 0);
  ~SyncThread();
  SyncThread(const SyncThread&) = delete;
  SyncThread& operator=(const SyncThread&) = delete;

  /// Everything up to `generation` has been appended: sync it.
  void request(std::uint64_t generation);

  /// The highest generation that is durable. Rethrows what `sync` threw.
  std::uint64_t completed();

  /// How long each sync took, in seconds.
  LogHistogram times();

 private:
  void run();
  bool wait_for_work(std::unique_lock<std::mutex>& lock, double last_start_seconds);

  std::function<void()> sync_;
  double apart_seconds_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::uint64_t requested_ = 0;
  std::uint64_t completed_ = 0;
  std::exception_ptr failure_;
  LogHistogram times_;
  bool stop_ = false;
  bool is_idle_ = false;  ///< waits for a request, not for time to pass
  std::thread thread_;
};

}  // namespace regatta::launcher
