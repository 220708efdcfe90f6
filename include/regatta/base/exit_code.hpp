// Exit codes of the programs: what a script may rely on.
#pragma once

namespace regatta::exit_code {

inline constexpr int done = 0;
inline constexpr int some_failed = 1;   ///< trials failed; all others have their results
inline constexpr int bad_input = 2;     ///< InputError: nothing was run
inline constexpr int regression = 3;    ///< --fail-on: something is slower than allowed
inline constexpr int does_not_fit = 4;  ///< `regatta-worker weights`: the model reads other data than these
inline constexpr int out_of_reach = 5;  ///< the remaining work needs more than this run has
inline constexpr int our_mistake = 70;
inline constexpr int storage = 74;    ///< StorageError: what was acknowledged is kept
inline constexpr int work_left = 75;  ///< the same command goes on

}  // namespace regatta::exit_code
