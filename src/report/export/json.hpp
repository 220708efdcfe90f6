// The JSON document of a view that stands already.
#pragma once

#include <string>

#include "report/findings/view.hpp"

namespace regatta::report {

std::string json(const View& view);

}  // namespace regatta::report
