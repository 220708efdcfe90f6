// A profiler around a command: what the times of a trial cannot tell.
#pragma once

#include <string>
#include <vector>

namespace regatta::launcher {

/// A command under a profiler.
struct Profiled {
  std::vector<std::string> argv;
  std::string file;                ///< the file that it writes
  std::vector<std::string> reads;  ///< the command that shows it
};

/// `command` under the profiler `name` (nsys, ncu or perf), which follows it into its workers and writes a file that
/// begins with `stem`. Throws InputError for another profiler.
Profiled profiled(const std::string& name, const std::vector<std::string>& command, const std::string& stem);

/// `argv` without the option --profile, in either of its forms.
std::vector<std::string> without_profile(const std::vector<std::string>& argv);

/// Becomes the profiler; says what it runs, and how its file is read. Throws InputError if the profiler is not here,
/// with the command to run where it is.
[[noreturn]] void become(const Profiled& command);

}  // namespace regatta::launcher
