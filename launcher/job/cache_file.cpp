#include <fmt/format.h>

#include "job/job.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"

namespace regatta::launcher {
namespace {

constexpr std::uint64_t largest_cache_bytes = 1 << 22;

}  // namespace

bool read_cache_file(const std::filesystem::path& file, std::string_view consequence,
                     const std::function<void(const nlohmann::json&)>& read) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return false;
  try {
    read(nlohmann::json::parse(read_file(file, largest_cache_bytes)));
    return true;
  } catch (const std::exception& error) {
    log::warn(fmt::format("'{}' cannot be used ({}); {}", file.string(), error.what(), consequence));
    return false;
  }
}

void write_cache_file(const std::filesystem::path& file, const nlohmann::json& document) {
  std::filesystem::create_directories(file.parent_path());
  write_file_atomically(file, document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace regatta::launcher
