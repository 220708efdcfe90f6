// The origins of a result beside its trial's parameters: programs, scripts, variables, versions. They are told where
// measuring begins and recorded with the session. They are compared before its rows are taken for those of today.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {

/// A part ("the contents of ./solver") and its state: a version, or what tells two contents apart. Empty: what runs the
/// trial is not here.
using Origin = std::map<std::string, std::string>;

/// The origins of all that a plan runs, by runner_of() its trials.
using Origins = std::map<std::string, Origin>;

/// The limits of a sweep stand among its origins under this name: they decide trials that failed, and no others.
inline constexpr const char* limits_origin = "limits";

/// The name of a trial's runner: "command NAME", or the engine as the sweep names it ("torch@old"). The user's own data
/// that it reads are part of it: "torch on cells".
std::string runner_of(const Parameters& parameters);

/// The differences in words ("the version of torch (2.1.0 then, 2.2.0 now)"), in alphabetical order. Nothing where the
/// earlier runner is not here now: the trial cannot be measured again.
std::vector<std::string> differences(const Origin& then, const Origin& now);

}  // namespace regatta::sweep
