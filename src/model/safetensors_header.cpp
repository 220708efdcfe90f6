#include "model/safetensors_header.hpp"

#include <fmt/format.h>

#include <span>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"

namespace regatta::model {
namespace {

constexpr std::uint64_t max_header_bytes = std::uint64_t{16} << 20;

std::uint64_t unsigned_of(const Json& value, const char* what) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  throw InputError(fmt::format("{} holds {} (a whole number of at least 0 is expected)", what,
                               value.dump(-1, ' ', true, Json::error_handler_t::replace)));
}

}  // namespace

const Json& member(const Json& entry, const char* key, Json::value_t type) {
  const auto found = entry.find(key);
  if (found == entry.end()) throw InputError(fmt::format("{} is missing", key));
  if (found->type() != type) throw InputError(fmt::format("{} is of the wrong type ({})", key, found->type_name()));
  return *found;
}

Shape shape_of(const Json& entry) {
  Shape shape;
  for (const Json& size : member(entry, "shape", Json::value_t::array)) {
    const std::uint64_t value = unsigned_of(size, "shape");
    if (value > max_safetensors_bytes) throw InputError(fmt::format("shape holds {} (larger than any file)", value));
    shape.push_back(static_cast<std::int64_t>(value));
  }
  return shape;
}

std::pair<std::uint64_t, std::uint64_t> offsets_of(const Json& entry) {
  if (!entry.is_object()) throw InputError(fmt::format("its entry is of the wrong type ({})", entry.type_name()));
  const Json& offsets = member(entry, "data_offsets", Json::value_t::array);
  if (offsets.size() != 2)
    throw InputError(fmt::format("data_offsets has {} numbers (2 are expected)", offsets.size()));
  return {unsigned_of(offsets[0], "data_offsets"), unsigned_of(offsets[1], "data_offsets")};
}

Json parse_header(std::string_view header) {
  Json json;
  try {
    json = parse_strictly(header);
  } catch (const InputError& error) {
    throw InputError(fmt::format("its header holds {}", error.what()));
  }
  if (!json.is_object()) throw InputError(fmt::format("its header is of the wrong type ({})", json.type_name()));
  return json;
}

std::string header_text(const UniqueFd& fd, std::uint64_t file_bytes) {
  if (file_bytes < safetensors_length_bytes)
    throw InputError(fmt::format("it has {} bytes (the header's length alone takes 8)", file_bytes));
  std::uint64_t header_bytes = 0;
  read_at(fd, 0, std::as_writable_bytes(std::span(&header_bytes, 1)));
  if (header_bytes > max_header_bytes || header_bytes > file_bytes - safetensors_length_bytes) {
    throw InputError(fmt::format("its header claims {} bytes, but {} follow (and at most {} are read)", header_bytes,
                                 file_bytes - safetensors_length_bytes, max_header_bytes));
  }
  std::string header(header_bytes, '\0');
  read_at(fd, safetensors_length_bytes, std::as_writable_bytes(std::span(header)));
  return header;
}

SafetensorsHeader read_safetensors_header(const UniqueFd& fd, std::uint64_t file_bytes) {
  const std::string text = header_text(fd, file_bytes);
  const Json json = parse_header(text);
  SafetensorsHeader header;
  header.data_offset = safetensors_length_bytes + text.size();
  for (const auto& [name, entry] : json.items()) {
    if (name == "__metadata__") {
      if (!entry.is_object()) throw InputError("its header holds texts about the file that are no object");
      for (const auto& [key, value] : entry.items()) {
        if (value.is_string()) header.about.emplace(key, value.get<std::string>());
      }
      continue;
    }
    const auto [begin, end] = offsets_of(entry);
    if (begin > end || end > file_bytes - header.data_offset)
      throw InputError(fmt::format("tensor \"{}\" ends beyond the data (the file is cut short)", name));
    header.entries.push_back(
        {name, member(entry, "dtype", Json::value_t::string).get<std::string>(), shape_of(entry), begin, end});
  }
  return header;
}

}  // namespace regatta::model
