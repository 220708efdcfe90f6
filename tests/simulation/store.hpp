// The shipped store on a disk that loses power: what a run leaves on it, over its sessions, and what must be there.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "disk.hpp"
#include "random.hpp"
#include "regatta/dispatch/coordinator.hpp"
#include "regatta/dispatch/store_record.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::simulation {

/// A promise of the system was broken.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Store {
 public:
  /// Sweep and plan outlive it.
  Store(const sweep::Sweep& sweep, const sweep::Plan& plan, Random& random)
      : sweep_(sweep), plan_(plan), disk_(random) {}

  void begin_session();

  /// As the recorder does it. Throws StorageError once the disk is broken.
  void append(const std::vector<results::GrantedRecord>& grants, const std::vector<dispatch::StoreRecord>& records);

  /// Records of this session that were handed over.
  [[nodiscard]] std::uint64_t appended() const { return appended_; }

  /// Throws StorageError if the disk breaks; it does so in one of its next operations if `disk_breaks`.
  void sync(bool disk_breaks);

  /// The session is over, and the machine loses power: what was not synced may be lost. Throws Violation if a reader
  /// had been told that it was durable.
  void crash();

  /// An agent may forget this result now.
  void acknowledged(const Hash128& block, std::uint32_t attempt) { acknowledged_.insert({block, session_, attempt}); }

  /// The state that a new session starts from.
  [[nodiscard]] dispatch::Earlier earlier();

  /// Throws Violation or InputError unless every acknowledged result is there with its samples, and everything is there
  /// once: a block has one result, or some that were interrupted and those that go on with them.
  void check();

  /// Throws Violation unless every block of the plan has a result.
  void check_complete();

 private:
  using Attempt = std::tuple<Hash128, std::uint32_t, std::uint32_t>;  ///< block, session, attempt

  results::Scan scan();
  void check_samples(const results::Record& record);

  const sweep::Sweep& sweep_;
  const sweep::Plan& plan_;
  Disk disk_;
  std::optional<results::StoreWriter> writer_;
  std::set<Attempt> acknowledged_;
  std::uint64_t appended_ = 0;
  std::uint32_t session_ = 0;
};

}  // namespace regatta::simulation
