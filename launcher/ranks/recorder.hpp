// Carries the coordinator's records to disk: appended at once, synced on a thread of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "os/sync_thread.hpp"
#include "regatta/dispatch/store_record.hpp"
#include "regatta/results/store.hpp"

namespace regatta::launcher {

/// Hands a record to the store, which makes it durable with its next sync.
void put(results::StoreWriter& store, const dispatch::StoreRecord& record);

/// Agents do not wait for a sync, so quick results share one; a loss of power costs what these few took.
inline constexpr double syncs_apart_seconds = 0.002;

class Recorder {
 public:
  explicit Recorder(results::StoreWriter& store)
      : store_(store), sync_([&store] { store.sync(); }, syncs_apart_seconds) {}

  /// They reach the disk with the next sync that somebody waits for.
  void note(const std::vector<results::GrantedRecord>& grants);

  /// As grants.
  void note(const results::Orchestration& self) { store_.orchestration(self); }

  /// The session was asked to end. Durable when this returns: its end may be a violent one.
  void note_stop() {
    store_.stop_asked();
    store_.sync();
  }

  void write(const std::vector<dispatch::StoreRecord>& records);

  /// How many records, counted from the first, are durable. Throws StorageError once the disk failed.
  std::uint64_t durable() { return sync_.completed(); }

  /// How long each sync took, in seconds.
  LogHistogram sync_times() { return sync_.times(); }

 private:
  results::StoreWriter& store_;
  std::uint64_t written_ = 0;
  SyncThread sync_;
};

}  // namespace regatta::launcher
