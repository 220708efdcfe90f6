// The JSON beside a raw file, which says where its arrays lie.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/data/array.hpp"

namespace regatta::data {

/// The bytes of the file of this name, which holds no folder.
using OpenRaw = std::function<FileBytes(const std::string& name)>;

/// The arrays that a sidecar describes. Throws InputError naming its line, and what `open` throws.
std::vector<Array> parse_sidecar(const FileBytes& sidecar, const OpenRaw& open);

/// A sidecar for these arrays, which lie in the file `name` of that many bytes, each at its offset, row behind row.
std::string sidecar_text(const std::string& name, std::size_t bytes, const std::vector<Array>& arrays,
                         const std::vector<std::size_t>& offsets);

}  // namespace regatta::data
