#include "engine/device_under_test.hpp"

namespace regatta::engine {

const std::string& plugin_under_test() {
  static const std::string none;
  return none;
}

}  // namespace regatta::engine
