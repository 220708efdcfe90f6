// Users' own models in a sweep: the files that they name, and the digests that make an edited file another model.
#pragma once

#include "sweep/cursor.hpp"

namespace regatta::sweep {

/// Completes the model that stands at `level`: where its files lie, and what is in them. A sweep that was accepted
/// before (any_environment) is believed. Throws InputError for a file that cannot be read, or is not the one that
/// "sources" names.
void find_sources(const Cursor& level, const Sweep& sweep, model::UserModel& user);

/// Writes the digests into the sweep's text, so that whoever reads it later, wherever that is, plans the same trials.
/// `root` is that text parsed. No line moves.
void record_sources(const JsonNode& root, Sweep& sweep);

}  // namespace regatta::sweep
