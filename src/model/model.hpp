// A model as layers, shapes, parameter and FLOP counts, weights as safetensors.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "regatta/json/cursor.hpp"
#include "regatta/model/model.hpp"
#include "regatta/model/user_model.hpp"

namespace regatta::model {

// Limits of sizes, and shapes in errors.

inline constexpr std::int64_t max_size = std::int64_t{1} << 31;  ///< sizes of one axis lie below
/// Limit for one tensor: beyond any machine's memory.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 48;

inline std::string to_text(const Shape& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

// user_model.cpp: The user's own model as JSON. The grammar is stated in catalogue.hpp.

/// Throws InputError as read_model does.
UserModel read_user_model(const json::Cursor& cursor);

nlohmann::ordered_json write_user_model(const UserModel& model);

}  // namespace regatta::model
