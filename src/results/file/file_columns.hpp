// Answers from an open file that may be damaged or hostile: links, storage, type, rank and length of what is asked for
// are checked before any of it is read into memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "results/file/column_requests.hpp"
#include "results/file/handles.hpp"

namespace regatta::results::hdf5 {

/// Nothing if there is no such attribute, or if it is not one text of a fixed length.
std::optional<std::string> text_attribute(hid_t object, const std::string& name);

/// Nothing if there is no such attribute, or if it is not one integer.
std::optional<std::int64_t> integer_attribute(hid_t object, const std::string& name);

Answer answer(const File& file, const Request& request);

/// The column that stands behind one in the file, if that was a column and there is another: what a reader most likely
/// asks for next, as files are read in the order in which they were written.
std::optional<Request> column_behind(const File& file, const Request& column);

/// Answers of this process. The file outlives them.
Ask columns_of(const File& file);

}  // namespace regatta::results::hdf5
