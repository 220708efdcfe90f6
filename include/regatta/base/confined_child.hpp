// A child process that reads what may be hostile, under limits: its death is an error like another.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace regatta {

/// The limits of a child.
struct ChildLimits {
  std::uint64_t memory_bytes = 0;   ///< beyond what the process had when it began
  double seconds = 0;               ///< on the processor
  std::uint64_t written_bytes = 0;  ///< the largest file that it may write
};

inline constexpr int link_of_child = 0;  ///< its standard input

/// In the child: dies with its parent, gains no privileges, keeps `link` alone open, as link_of_child. Nobody hears
/// it: a library may write to a terminal when it dies.
void confine(int link, pid_t parent);

/// In the child. Memory is not limited under sanitizers, whose own is larger than any limit.
void limit_child(const ChildLimits& limits);

/// In the child: from here on it opens nothing (but under sanitizers, which look at memory by pipes).
void open_no_more_files();

/// How the child ended: its wait status; 0 if it had not ended after `patience_seconds`, and was killed.
int end_of_child(pid_t child, double patience_seconds);

}  // namespace regatta
