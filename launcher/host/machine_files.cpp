#include <algorithm>
#include <fstream>
#include <system_error>

#include "host/host.hpp"

namespace regatta::launcher {

using std::filesystem::path;

std::string first_line(const path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::vector<path> entries(const path& folder) {
  std::vector<path> found;
  std::error_code error;  // a folder that is not there has no entries
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace regatta::launcher
