// Files of the user's own, as a sweep names them.
#pragma once

#include <optional>
#include <string>

namespace regatta::data {

struct DataFiles {
  std::string data;
  std::string labels;           ///< empty: `data` holds them too
  std::string label_column;     ///< in a CSV file
  std::optional<double> scale;  ///< samples are value * scale + shift; not set: bytes are divided by 255
  double shift = 0;
};

}  // namespace regatta::data
