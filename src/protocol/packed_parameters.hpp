// A trial's parameters as bytes, as changes to those of the trial before.
#pragma once

#include <cmath>
#include <cstdint>

#include "regatta/base/bytes.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::protocol {

inline void need(bool holds, const char* what) {
  if (!holds) throw InputError(what);
}

inline bool take_flag(ByteReader& in) {
  const auto value = in.number<std::uint8_t>();
  need(value <= 1, "a flag is neither 0 nor 1");
  return value == 1;
}

inline double take_real(ByteReader& in) {
  const auto value = in.number<double>();
  need(!std::isnan(value), "a number is none");
  return value;
}

template <class Enum>
Enum take_choice(ByteReader& in, Enum last) {
  const auto value = in.number<std::uint8_t>();
  need(value <= static_cast<std::uint8_t>(last), "a choice is unknown");
  return static_cast<Enum>(value);
}

/// Writes all values that are not null, as take_changes reads them after nulls.
void put_all(ByteWriter& out, const sweep::Parameters& parameters);
/// Writes the values that differ from `last`, which then has these values.
void put_changes(ByteWriter& out, const sweep::Parameters& parameters, sweep::RowValues& last);
/// Throws InputError for what is no parameter.
sweep::Parameters take_changes(ByteReader& in, sweep::RowValues& last);

}  // namespace regatta::protocol
