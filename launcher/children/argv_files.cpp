#include <filesystem>
#include <system_error>

#include "children/children.hpp"

namespace regatta::launcher {

std::vector<std::string> with_whole_paths(std::vector<std::string> argv) {
  const std::vector<std::string> written = argv;
  for (std::size_t at = 1; at < argv.size(); ++at) {
    const std::string name = sweep::word_for_file(written, at);
    std::error_code none;
    if (name.empty() || !std::filesystem::is_regular_file(name, none)) continue;
    const std::string whole = std::filesystem::absolute(name).lexically_normal().string();
    argv[at].replace(argv[at].size() - name.size(), name.size(), whole);
  }
  return argv;
}

}  // namespace regatta::launcher
