// Where this tree and its build lie. One unit knows: paths on the command line of every unit would keep a compiler cache
// from serving two checkouts.
#pragma once

#include <string>

namespace regatta::support {

std::string source_folder();
std::string binary_folder();

}  // namespace regatta::support
