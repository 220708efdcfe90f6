// How one arm of a block ended, as the agent reports it, the journal records it and the tables are made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "regatta/base/digest.hpp"
#include "regatta/base/ids.hpp"
#include "regatta/sweep/facts.hpp"
#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/training.hpp"

namespace regatta::sweep {

struct ArmOutcome {
  ArmIndex arm{};           ///< its place in the block
  Hash128 trial{};          ///< from the plan, like the engine and the intervention: not part of an agent's message
  Outcome outcome;          ///< finished, unless it says otherwise
  std::string environment;  ///< name of the installation used
  std::string engine;
  std::string intervention;  ///< text_of; empty in blocks of trials
  Verified verified = Verified::unchecked;
  Facts facts;
  std::optional<Learned> learned = {};  ///< the result of a leg that was trained
};

/// Says whether the arm did the same work, and what differed or why it was not compared.
inline void set_verified(ArmOutcome& arm, Verified verified, std::string detail) {
  arm.verified = verified;
  set(arm.facts, Fact::verified_detail, std::move(detail));
}

/// The largest memory that was seen.
inline std::uint64_t peak_bytes(const ArmOutcome& arm) {
  return static_cast<std::uint64_t>(number_of(arm.facts, Fact::peak_bytes));
}
inline void note_peak_bytes(ArmOutcome& arm, std::uint64_t bytes) {
  if (bytes > peak_bytes(arm)) set(arm.facts, Fact::peak_bytes, static_cast<std::int64_t>(bytes));
}

}  // namespace regatta::sweep
