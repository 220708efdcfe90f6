// The user's own model as JSON. The grammar is stated in catalogue.hpp.
#pragma once

#include "model/json_cursor.hpp"
#include "regatta/model/user_model.hpp"

namespace regatta::model {

/// Throws InputError as parse_model does.
UserModel read_user_model(const JsonCursor& cursor);

Json write_user_model(const UserModel& model);

}  // namespace regatta::model
