// What a sweep's sections name: entries, and files beside the sweep.
#pragma once

#include <filesystem>
#include <string>

#include "regatta/json/cursor.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Refuses a key that cannot be a name.
void need_name(const json::Cursor::Member& member);

/// A file, relative to the sweep's folder. It is looked at where measuring begins, but who made a mistake hears it
/// before: refuses at `cursor` what cannot be read, unless the sweep is read again elsewhere.
std::filesystem::path named_file(const json::Cursor& cursor, const std::string& name, const Sweep& sweep);

/// The same of data: a file, a folder, or FILE.h5:/DATASET, with its dataset.
std::filesystem::path named_data(const json::Cursor& cursor, const std::string& name, const Sweep& sweep);

}  // namespace regatta::sweep
