#include "regatta/base/cache_file.hpp"

#include <sstream>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"

namespace regatta {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 22;

}  // namespace

std::vector<std::string> cached_lines(const std::string& path) {
  std::vector<std::string> found;
  if (path.empty()) return found;
  try {
    std::istringstream text(read_file(path, kMostBytes));
    for (std::string line; std::getline(text, line);) found.push_back(line);
  } catch (const InputError&) {  // as if nothing were kept
  }
  return found;
}

void write_cache(const std::string& path, std::string_view text) {
  try {
    write_file_atomically(path, text);
  } catch (const StorageError&) {  // the next process finds out again
  }
}

}  // namespace regatta
