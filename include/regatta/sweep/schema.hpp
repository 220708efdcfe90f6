// The JSON Schema of sweep files, made from the tables that the reader uses.
#pragma once

#include <string>

namespace regatta::sweep {

/// docs/sweep.schema.json (draft 07), for editors and other programs. What needs more than one place of the file (a
/// level that no axis has, a shape that does not fit) only the reader finds.
std::string sweep_schema();

}  // namespace regatta::sweep
