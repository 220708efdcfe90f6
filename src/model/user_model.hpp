// The user's own model as JSON. The grammar is stated in catalogue.hpp.
#pragma once

#include <nlohmann/json.hpp>

#include "regatta/json/cursor.hpp"
#include "regatta/model/user_model.hpp"

namespace regatta::model {

/// Throws InputError as read_model does.
UserModel read_user_model(const json::Cursor& cursor);

nlohmann::ordered_json write_user_model(const UserModel& model);

}  // namespace regatta::model
