#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "host/host.hpp"

namespace regatta::launcher {
namespace {

/// "pid:[4026531836]"; empty where it cannot be read.
std::string namespace_of_this_process(const char* kind) {
  std::error_code error;
  return std::filesystem::read_symlink(fmt::format("/proc/self/ns/{}", kind), error).string();
}

}  // namespace

std::string memory_domain(int mpi_host) {
  return fmt::format("{} {} {} {} {}", first_line("/proc/sys/kernel/random/boot_id"), namespace_of_this_process("pid"),
                     namespace_of_this_process("net"), mpi_host, batch_node());
}

}  // namespace regatta::launcher
