// Users' own models in a sweep: the files that they name, and the digests that make an edited file another model.
#pragma once

#include "regatta/json/cursor.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Completes the model that stands at `level`: where its files lie, and what is in them. A sweep that was accepted
/// before (any_environment) is believed. Throws InputError for a file that cannot be read, or is not the one that
/// "sources" names.
void find_sources(const json::Cursor& level, const Sweep& sweep, model::UserModel& user);

/// , "sources": {...}: what to add to a model for that, so that a later reader need not have the files.
std::string sources_json(const model::UserModel& user);

}  // namespace regatta::sweep
