// The header of a safetensors file: a length of 8 bytes, then JSON that says where each tensor lies in the data behind
// it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/strict_json.hpp"
#include "regatta/base/unique_fd.hpp"
#include "regatta/model/model.hpp"

namespace regatta::model {

inline constexpr std::uint64_t safetensors_length_bytes = 8;
inline constexpr std::uint64_t max_safetensors_bytes = std::uint64_t{64} << 30;

/// Each of these throws InputError, which leaves the file's name to the caller.
std::string header_text(const UniqueFd& fd, std::uint64_t file_bytes);
Json parse_header(std::string_view header);

/// A member of this type of a tensor's entry.
const Json& member(const Json& entry, const char* key, Json::value_t type);
Shape shape_of(const Json& entry);
/// Begin and end of a tensor's bytes from the start of the data.
std::pair<std::uint64_t, std::uint64_t> offsets_of(const Json& entry);

/// A tensor of any type.
struct HeaderEntry {
  std::string name;
  std::string dtype;
  Shape shape;
  std::uint64_t begin = 0;  ///< bytes from the start of the data
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<HeaderEntry> entries;
  std::map<std::string, std::string> about;  ///< "__metadata__"
  std::uint64_t data_offset = 0;
};

/// All of it; each entry ends inside the file. Throws InputError as above.
SafetensorsHeader read_safetensors_header(const UniqueFd& fd, std::uint64_t file_bytes);

}  // namespace regatta::model
