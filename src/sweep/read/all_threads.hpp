// "threads": "all", as many as a slot here has cores. It becomes that number in the text itself: whoever reads the
// recorded text later, on whatever machine, reads the sweep that was measured.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "regatta/json/document.hpp"

namespace regatta::sweep {

inline constexpr std::string_view all_threads = "all";

/// The text of a sweep with that number in place of each "all", and blanks, so that all else stays where it is. A level
/// that is there already is not named twice. `root`: the same text, parsed; `cores` is asked only if there is one.
std::string with_all_threads(std::string text, const json::Node& root, const std::function<std::int64_t()>& cores);

/// The same for what the command line assigns: "threads=1,all".
std::string with_all_threads(const std::string& assignment, const std::function<std::int64_t()>& cores);

}  // namespace regatta::sweep
