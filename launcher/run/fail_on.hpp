// The gate of `regatta report --fail-on`.
#pragma once

#include <string>

#include "run/outputs.hpp"

namespace regatta::launcher {

/// "slower:3%": exit code 3 if a contrast is slower than its baseline by more than that, by a confirmed verdict that no
/// check contradicts; "slower:3%,early": by an early one, too; "slower:3%,undecided": also if one is not known to be
/// below it.
struct FailOn {
  double slower = 0;  ///< as a fraction
  bool undecided = false;
  bool early = false;
};
FailOn parse_fail_on(const std::string& text);

/// Says on stderr what is slower by more than the limit, and how much is not known to be below it; whether the gate
/// fails.
bool is_broken(const Outputs& outputs, const FailOn& fail_on);

}  // namespace regatta::launcher
