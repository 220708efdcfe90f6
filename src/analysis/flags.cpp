#include "analysis/flags.hpp"

#include <algorithm>

namespace regatta::analysis {

void add_flags(std::vector<std::string>& flags, std::string_view list) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const std::string flag(list.substr(0, comma));
    if (!flag.empty() && std::find(flags.begin(), flags.end(), flag) == flags.end()) flags.push_back(flag);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace regatta::analysis
