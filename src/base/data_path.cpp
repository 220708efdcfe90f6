#include "regatta/base/data_path.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace regatta {

DataPath split_data_path(const std::string& path) {
  std::string lower = path;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string_view suffix : {".h5:/", ".hdf5:/"}) {
    const std::size_t at = lower.find(suffix);
    if (at == std::string::npos) continue;
    const std::size_t colon = at + suffix.size() - 2;
    return {path.substr(0, colon), path.substr(colon + 1)};
  }
  return {path, {}};
}

}  // namespace regatta
