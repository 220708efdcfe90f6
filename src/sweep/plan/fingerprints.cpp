#include "sweep/plan/fingerprints.hpp"

#include <algorithm>
#include <limits>

namespace regatta::sweep {
namespace {

constexpr std::uint32_t empty = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t fewest_slots = 64;

}  // namespace

std::size_t FingerprintTable::slot_of(const Fingerprint& fingerprint) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = fingerprint.low & mask;
  while (slots_[slot] != empty && fingerprints_[slots_[slot]] != fingerprint) slot = (slot + 1) & mask;
  return slot;
}

/// At most two of three slots are taken; their number is a power of two.
void FingerprintTable::grow() {
  if (3 * (fingerprints_.size() + 1) <= 2 * slots_.size()) return;
  slots_.assign(std::max(fewest_slots, 2 * slots_.size()), empty);
  for (std::size_t i = 0; i < fingerprints_.size(); ++i)
    slots_[slot_of(fingerprints_[i])] = static_cast<std::uint32_t>(i);
}

std::pair<std::uint32_t, bool> FingerprintTable::add(const Fingerprint& fingerprint) {
  grow();
  const std::size_t slot = slot_of(fingerprint);
  if (slots_[slot] != empty) return {slots_[slot], false};
  slots_[slot] = static_cast<std::uint32_t>(fingerprints_.size());
  fingerprints_.push_back(fingerprint);
  return {slots_[slot], true};
}

std::optional<std::uint32_t> FingerprintTable::find(const Fingerprint& fingerprint) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t number = slots_[slot_of(fingerprint)];
  return number == empty ? std::nullopt : std::optional(number);
}

}  // namespace regatta::sweep
