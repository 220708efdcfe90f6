// Flags are remarks on a comparison, its block and its slot. Verdicts are decided on these values; their names are for
// people and files.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::stats {

/// In the order in which they are printed. Journals hold positions in this list: a new one goes to its end, or the
/// journal's version grows.
enum class Flag : std::uint8_t {
  different_arithmetic,  ///< two arms compute in other precisions
  close_work,            ///< results lie apart by more than rounding explains, and by little
  other_weights,         ///< models that start from other weights
  other_run,             ///< a block: another run of Regatta measured beside it
  device_throttled,      ///< a block: heat or power supply slowed its device
  changed_since,         ///< a block: what it measured has changed since
  neighbours,            ///< a slot: another slot shares its memory domain
  cores_shared,          ///< a slot: other ranks run on its cores: no verdict
  slow_device,           ///< a slot: its device does less than those like it
  drifting,              ///< the ratio moved while it was measured: no verdict
  spikes,                ///< rare slow steps: medians of steps, or of pairs, tell another ratio than totals
  disturbed,             ///< some slices carry disturbance flags
  carry_over,            ///< slices begin slower or faster than they end
  position,              ///< the place inside a round changes times by more than half the margin
  rare_stalls,           ///< the same by the typical pair, another ratio by all time together: no verdict
  call_length,           ///< calls of some lengths are off a line by more than the margin: the verdict allows for it
  stalls,                ///< with stalls and without them the verdicts contradict each other: no verdict
  slow_down,             ///< a pilot: steps grew slower
  no_steady_state,       ///< a pilot: its speed did not settle
  suspended              ///< a block: the job was suspended while it ran; what was interrupted was measured again
};

inline constexpr std::array<std::string_view, 20> flag_names = {"different arithmetic",
                                                                "close, not verified",
                                                                "not verified: other initial weights",
                                                                "other run",
                                                                "device throttled",
                                                                "changed since",
                                                                "neighbours",
                                                                "cores_shared",
                                                                "slow_device",
                                                                "drifting",
                                                                "spikes",
                                                                "disturbed",
                                                                "carry-over",
                                                                "position",
                                                                "rare stalls",
                                                                "depends on call length",
                                                                "stalls decide",
                                                                "slow-down",
                                                                "no steady state",
                                                                "suspended"};

constexpr std::string_view name_of(Flag flag) { return flag_names.at(static_cast<std::size_t>(flag)); }

/// A set of flags.
struct Flags {
  std::uint32_t bits = 0;

  constexpr Flags() = default;
  constexpr Flags(std::initializer_list<Flag> flags) {
    for (const Flag flag : flags) add(flag);
  }
  constexpr void add(Flag flag) { bits |= std::uint32_t{1} << static_cast<unsigned>(flag); }
  constexpr void add(Flags other) { bits |= other.bits; }
  [[nodiscard]] constexpr bool has(Flag flag) const { return (bits >> static_cast<unsigned>(flag) & 1) != 0; }
  [[nodiscard]] constexpr bool any() const { return bits != 0; }
  [[nodiscard]] constexpr Flags without(Flags others) const {
    Flags left;
    left.bits = bits & ~others.bits;
    return left;
  }
  bool operator==(const Flags&) const = default;
};

/// The flags that a judgement of slices may raise.
inline constexpr Flags judgement_flags = {Flag::drifting, Flag::spikes,      Flag::disturbed,   Flag::carry_over,
                                          Flag::position, Flag::rare_stalls, Flag::call_length, Flag::stalls};

/// The set with these bits; nothing where one of them is no flag.
std::optional<Flags> flags_of_bits(std::uint64_t bits);

std::vector<std::string_view> names_of(Flags flags);

/// "neighbours,drifting"; empty for none.
std::string text_of(Flags flags, std::string_view separator = ",");

/// The set that text_of wrote; nothing where a part of it is no flag.
std::optional<Flags> parse_flags(std::string_view text);

}  // namespace regatta::stats
