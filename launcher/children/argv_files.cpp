#include <filesystem>
#include <system_error>

#include "children/children.hpp"

namespace regatta::launcher {
namespace {

bool is_output_option(const std::string& word) { return word == "-o" || word == "--out" || word == "--output"; }

std::string part_behind_equals(const std::string& word) {
  if (!word.starts_with('-')) return word;
  const std::size_t equals = word.find('=');
  return equals == std::string::npos || is_output_option(word.substr(0, equals)) ? "" : word.substr(equals + 1);
}

}  // namespace

std::string named_file(const std::vector<std::string>& argv, std::size_t at) {
  std::string name = part_behind_equals(argv.at(at));
  std::error_code none;
  if (at == 0 || is_output_option(argv[at - 1]) || !std::filesystem::is_regular_file(name, none)) return {};
  return name;
}

std::vector<std::string> with_whole_paths(std::vector<std::string> argv) {
  const std::vector<std::string> written = argv;
  for (std::size_t at = 1; at < argv.size(); ++at) {
    const std::string name = named_file(written, at);
    if (name.empty()) continue;
    const std::string whole = std::filesystem::absolute(name).lexically_normal().string();
    argv[at].replace(argv[at].size() - name.size(), name.size(), whole);
  }
  return argv;
}

}  // namespace regatta::launcher
