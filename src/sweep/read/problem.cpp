#include "regatta/json/document.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {

json::Place place_in(const Sweep& sweep, const std::string& pointer) {
  const std::string file = sweep.file.empty() ? "sweep" : sweep.file.string();
  if (sweep.text.empty()) return {file, 0, pointer};
  return {file, json::line_of(json::parse(sweep.text, file), pointer), pointer};
}

}  // namespace regatta::sweep
