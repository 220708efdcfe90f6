#include "os/profiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include "os/ask_program.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/shell.hpp"

namespace regatta::launcher {
namespace {

constexpr std::string_view profile_option = "--profile";

struct Profiler {
  std::string_view name;
  std::string_view origin;          ///< where it comes from
  std::vector<std::string> before;  ///< its own words, in front of the file that it writes
  std::string_view ending;          ///< ending of that file; in the command line it stands with it or not
  bool writes_ending = false;       ///< the profiler appends it
  std::vector<std::string> reads;   ///< in front of the file
};

const std::array<Profiler, 3>& profilers() {
  // A step is launched as a graph, whose kernels are told one by one. ncu repeats each kernel that it looks at, so that
  // some behind the first ones are enough.
  static const std::array<Profiler, 3> all = {
      Profiler{"nsys",
               "NVIDIA Nsight Systems",
               {"nsys", "profile", "--trace=cuda,nvtx,cublas,cudnn,osrt", "--cuda-graph-trace=node", "--output"},
               ".nsys-rep",
               true,
               {"nsys", "stats"}},
      Profiler{"ncu",
               "NVIDIA Nsight Compute",
               {"ncu", "--target-processes", "all", "--nvtx", "--graph-profiling", "node", "--launch-skip", "200",
                "--launch-count", "100", "--export"},
               ".ncu-rep",
               true,
               {"ncu", "--import"}},
      Profiler{"perf",
               "the package linux-perf",
               {"perf", "record", "--freq", "999", "--call-graph", "fp", "--output"},
               ".perf.data",
               false,
               {"perf", "report", "--comm", "regatta-worker", "--input"}},
  };
  return all;
}

const Profiler& profiler_named(const std::string& name) {
  const auto found = std::ranges::find(profilers(), name, &Profiler::name);
  if (found != profilers().end()) return *found;
  throw InputError(
      fmt::format("there is no profiler '{}' (its command line is not known); take nsys, ncu or perf", name));
}

std::string shell_line(const std::vector<std::string>& argv) {
  std::vector<std::string> words;
  for (const std::string& word : argv) words.push_back(shell_word(word));
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

Profiled profiled(const std::string& name, const std::vector<std::string>& command, const std::string& stem) {
  const Profiler& profiler = profiler_named(name);
  Profiled found;
  found.file = stem + std::string(profiler.ending);
  found.argv = profiler.before;
  found.argv.push_back(profiler.writes_ending ? stem : found.file);
  if (!profiler.writes_ending) found.argv.emplace_back("--");
  found.argv.insert(found.argv.end(), command.begin(), command.end());
  found.reads = profiler.reads;
  found.reads.push_back(found.file);
  return found;
}

std::vector<std::string> without_profile(const std::vector<std::string>& argv) {
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (argv[i] == profile_option)
      ++i;  // and its value
    else if (!argv[i].starts_with(std::string(profile_option) + "="))
      rest.push_back(argv[i]);
  }
  return rest;
}

void become(const Profiled& command) {
  const std::string& program = command.argv.front();
  if (!find_program(program))
    throw InputError(
        fmt::format("{} is not on this machine's PATH (it comes with {}); install it, or run where it is: {}", program,
                    profiler_named(program).origin, shell_line(command.argv)));
  fmt::print(stderr, "{}\n(then: {})\n", shell_line(command.argv), shell_line(command.reads));
  std::fflush(nullptr);
  std::vector<char*> words;
  for (const std::string& word : command.argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  throw InputError(errno_text("start " + program, errno));
}

}  // namespace regatta::launcher
