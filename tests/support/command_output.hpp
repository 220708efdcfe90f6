// The output of a shell command.
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <string>

namespace regatta::support {

inline std::string command_output(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> chunk{};
  while (pipe != nullptr && std::fgets(chunk.data(), chunk.size(), pipe.get()) != nullptr) text += chunk.data();
  return text;
}

}  // namespace regatta::support
