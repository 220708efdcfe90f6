// Models that are levels of their own: written out in the sweep, or in a file that it names.
#pragma once

#include <optional>

#include "regatta/json/cursor.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// The name of a model written out, which joins the sweep's models. Throws InputError.
Value read_written_out_model(const json::Cursor& cursor, Sweep& sweep);

/// The name of the model in the file that a level names ("models/odd.json", relative to the sweep), which joins the
/// sweep's models; nothing for a level that is no path. Throws InputError.
std::optional<Value> read_model_file(const json::Cursor& cursor, Sweep& sweep);

/// Writes what the sweep's files hold into its text: models that it names by their file, and the digests of users' own.
/// Whoever reads the text later, wherever that is, plans the same trials. `root` is that text parsed. No line moves.
void record_files(const json::Node& root, Sweep& sweep);

}  // namespace regatta::sweep
