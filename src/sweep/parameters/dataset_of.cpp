#include <algorithm>
#include <string>

#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

bool is_shipped_dataset(std::string_view name) {
  const std::vector<std::string_view>& levels = info(Param::dataset).levels;
  return std::find(levels.begin(), levels.end(), name) != levels.end();
}

const Dataset* dataset_of(const Sweep& sweep, const Parameters& parameters) {
  const auto* name = std::get_if<std::string>(&parameters[Param::dataset]);
  const auto found = name == nullptr ? sweep.datasets.end() : sweep.datasets.find(*name);
  return found == sweep.datasets.end() ? nullptr : &found->second;
}

}  // namespace regatta::sweep
