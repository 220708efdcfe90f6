// Limits of sizes, and shapes in errors.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string>

#include "regatta/model/model.hpp"

namespace regatta::model {

inline constexpr std::int64_t max_size = std::int64_t{1} << 31;      ///< sizes of one axis lie below
inline constexpr std::int64_t max_elements = std::int64_t{1} << 48;  ///< of one tensor: beyond any machine's memory

inline std::string to_text(const Shape& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

}  // namespace regatta::model
