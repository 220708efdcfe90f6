#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <thread>

#include "measuring/measuring.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/base/files.hpp"
#include "regatta/measure/arms.hpp"

namespace regatta::launcher {
namespace {

constexpr std::chrono::milliseconds pause(50);

}  // namespace

std::string hash_of_checkpoint(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return "";
  return to_string(hash128(read_file(path, std::numeric_limits<std::uint64_t>::max())));
}

void require_checkpoint(const std::filesystem::path& path, const std::string& hash, std::uint32_t rank,
                        double patience_seconds) {
  Deadline deadline = Deadline::after(patience_seconds);
  std::string seen = hash_of_checkpoint(path);
  while (seen != hash) {
    if (deadline.passed()) {
      const char* const what = seen.empty() ? "does not see" : hash.empty() ? "sees" : "sees another file as";
      throw measure::ArmEnded{
          sweep::Failed{sweep::FailureKind::reported,
                        fmt::format("the node of rank {} {} the checkpoint {} that rank 0 {}. A training over several "
                                    "nodes goes on from one file. Put the folder of --out where all nodes see it",
                                    rank, what, path.string(), hash.empty() ? "does not have" : "goes on from")}};
    }
    std::this_thread::sleep_for(pause);
    seen = hash_of_checkpoint(path);
  }
}

}  // namespace regatta::launcher
