// The header of a .npy file: a dictionary of Python's in text.
#pragma once

#include "data/formats/stored.hpp"

namespace regatta::data {

/// Where its numbers lie and what they are; no axes for a single number. Throws InputError.
Layout npy_layout(const FileBytes& file);

}  // namespace regatta::data
