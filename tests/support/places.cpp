#include "support/places.hpp"

namespace regatta::support {

std::string source_folder() { return REGATTA_SOURCE_DIR; }
std::string binary_folder() { return REGATTA_BINARY_DIR; }

}  // namespace regatta::support
