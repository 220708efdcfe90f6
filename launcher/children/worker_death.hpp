// How a process ended, and what a person reads about it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/outcome.hpp"

namespace regatta::launcher {

/// A worker died, hung or talked nonsense. The worker is gone from the pool when this is thrown.
struct WorkerDied : std::runtime_error {
  WorkerDied(sweep::FailureKind why, const std::string& message, bool has_exited = false)
      : std::runtime_error(message), kind(why), exited(has_exited) {}
  sweep::FailureKind kind;
  bool exited;  ///< by itself, with a status other than 0
};

/// Kind and message of an unexplained end: "killed by signal 11 (Segmentation fault)".
struct Death {
  sweep::FailureKind kind;
  std::string message;
};

/// `memory_bytes` is the limit it ran under (0: none), `oom_kills` how often the kernel killed for memory in its
/// control group since it was started.
Death cause_of_death(const protocol::Exited& exit, std::uint64_t memory_bytes, std::uint64_t oom_kills);

/// The file beside the Python script of this command line that Python runs in place of a module of its own, or of one
/// that workers need: "token.py". Empty where there is none.
std::string module_in_the_way(const std::vector<std::string>& argv);

/// The last lines of an output, for error messages; empty if there are none.
std::string last_words(std::string_view output);

/// The same of a log.
std::string log_tail(const std::string& path);

}  // namespace regatta::launcher
