// What a run leaves on disk, over its sessions, and how much of it a crash takes away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "random.hpp"
#include "regatta/dispatch/coordinator.hpp"
#include "regatta/dispatch/store_record.hpp"
#include "regatta/sweep/plan.hpp"

namespace regatta::simulation {

/// A promise of the system was broken.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Store {
 public:
  void begin_session();
  void append(std::vector<dispatch::StoreRecord> records);

  /// Records of this session that were handed over.
  [[nodiscard]] std::uint64_t appended() const { return records_.size() - before_; }

  void sync(std::uint64_t records_of_session) { durable_ = before_ + records_of_session; }

  /// Keeps what is durable, and as much of the rest as the disk happened to write.
  void crash(Random& random);

  /// An agent may forget this result now.
  void acknowledged(const Hash128& block, std::uint32_t attempt) { acknowledged_.insert({block, session_, attempt}); }

  /// What a new session starts from.
  [[nodiscard]] dispatch::Earlier earlier() const;

  /// Throws Violation unless every acknowledged result is there, and everything is there once.
  void check() const;

  /// Throws Violation unless every block of the plan has a result.
  void check_complete(const sweep::Plan& plan) const;

 private:
  struct Entry {
    std::uint32_t session;
    dispatch::StoreRecord record;
  };
  using Attempt = std::tuple<Hash128, std::uint32_t, std::uint32_t>;  ///< block, session, attempt

  std::vector<Entry> records_;
  std::set<Attempt> acknowledged_;
  std::size_t before_ = 0;  ///< records of earlier sessions
  std::size_t durable_ = 0;
  std::uint32_t session_ = 0;
};

}  // namespace regatta::simulation
