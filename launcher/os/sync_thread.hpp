// fdatasync on its own thread: one for each drain of the inbox, while the coordinator goes on.
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
  /// `sync` makes everything durable that was appended before it is called.
  explicit SyncThread(std::function<void()> sync);
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

  std::function<void()> sync_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::uint64_t requested_ = 0;
  std::uint64_t completed_ = 0;
  std::exception_ptr failure_;
  LogHistogram times_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace regatta::launcher
