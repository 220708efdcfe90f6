// Runs a program of the machine and tells how it ended and what it said.
#pragma once

#include <stdio.h>
#include <sys/wait.h>

#include <array>
#include <string>

namespace regatta::results {

struct Ended {
  int status = -1;     ///< exit status, or -1 for a signal
  std::string output;  ///< standard output and error
};

/// `command` is the test's own text for the shell.
inline Ended run_program(const std::string& command) {
  Ended ended;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ended;
  std::array<char, 4096> chunk{};
  for (std::size_t got = 0; (got = ::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;)
    ended.output.append(chunk.data(), got);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) ended.status = WEXITSTATUS(status);
  return ended;
}

}  // namespace regatta::results
