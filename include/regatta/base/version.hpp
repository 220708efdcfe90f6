// The version of this build.
#pragma once

#include <string>

namespace regatta {

/// "0.1.0".
std::string regatta_version();

}  // namespace regatta
