#include "regatta/base/version.hpp"

namespace regatta {

std::string regatta_version() { return REGATTA_VERSION; }

}  // namespace regatta
