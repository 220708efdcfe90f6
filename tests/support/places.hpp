// Where this tree and its build lie. One unit knows: paths on every command line would keep a compiler cache
// from serving two checkouts.
#pragma once

#include <string>

namespace regatta::support {

std::string source_folder();
std::string binary_folder();

}  // namespace regatta::support
