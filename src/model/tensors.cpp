#include "regatta/model/tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "model/safetensors_header.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::model {

static_assert(std::endian::native == std::endian::little, "safetensors data are little endian");

namespace {

constexpr std::uint64_t element_bytes = 4;  // F32 and I32

std::size_t value_count(const Tensor& tensor) {
  return std::visit([](const auto& values) { return values.size(); }, tensor.values);
}

/// Data start aligned.
std::string aligned(std::string header) {
  header.append((safetensors_length_bytes - header.size() % safetensors_length_bytes) % safetensors_length_bytes, ' ');
  return header;
}

std::string header_of(const std::vector<Tensor>& tensors) {
  Json header = Json::object();
  std::uint64_t begin = 0;
  for (const Tensor& tensor : tensors) {
    expect(value_count(tensor) == static_cast<std::size_t>(element_count(tensor.shape)),
           "a tensor has a value for each element");
    expect(!header.contains(tensor.name) && tensor.name != "__metadata__", "tensor names are distinct");
    const std::uint64_t end = begin + value_count(tensor) * element_bytes;
    const bool real = std::holds_alternative<std::vector<float>>(tensor.values);
    header[tensor.name] = {{"dtype", real ? "F32" : "I32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  return aligned(header.dump());
}

/// One tensor's entry in the header, checked by itself.
struct TensorEntry {
  std::string name;
  Shape shape;
  bool real;
  std::uint64_t begin;  ///< bytes from the start of the data
  std::uint64_t end;
};

TensorEntry read_entry(const std::string& name, const Json& json) {
  if (!json.is_object()) throw InputError(fmt::format("its entry is of the wrong type ({})", json.type_name()));
  const auto dtype = member(json, "dtype", Json::value_t::string).get<std::string>();
  if (dtype != "F32" && dtype != "I32") throw InputError(fmt::format("dtype is {} (only F32 and I32 are read)", dtype));
  const auto [begin, end] = offsets_of(json);
  TensorEntry entry{name, shape_of(json), dtype == "F32", begin, end};
  const std::uint64_t bytes = static_cast<std::uint64_t>(element_count(entry.shape)) * element_bytes;
  if (entry.end < entry.begin || entry.end - entry.begin != bytes) {
    throw InputError(
        fmt::format("data_offsets are {} to {}, but its shape needs {} bytes", entry.begin, entry.end, bytes));
  }
  return entry;
}

std::vector<TensorEntry> read_entries(std::string_view header) {
  const Json json = parse_header(header);
  std::vector<TensorEntry> entries;
  for (const auto& [name, entry] : json.items()) {
    if (name == "__metadata__") continue;
    try {
      entries.push_back(read_entry(name, entry));
    } catch (const InputError& error) {
      throw InputError(fmt::format("tensor \"{}\": {}", name, error.what()));
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  return entries;
}

/// The entries tile the data: no hole, no overlap, nothing left over.
void check_tiling(const std::vector<TensorEntry>& entries, std::uint64_t data_bytes) {
  std::uint64_t at = 0;
  for (const TensorEntry& entry : entries) {
    if (entry.end > data_bytes) {
      throw InputError(
          fmt::format("tensor \"{}\" ends at byte {} of the data, which have {} bytes (the file is cut short)",
                      entry.name, entry.end, data_bytes));
    }
    if (entry.begin != at) {
      throw InputError(fmt::format("tensor \"{}\" starts at byte {} of the data, but the one before it ends at {}",
                                   entry.name, entry.begin, at));
    }
    at = entry.end;
  }
  if (at != data_bytes) throw InputError(fmt::format("{} bytes after the last tensor belong to none", data_bytes - at));
}

/// Straight to where the values are wanted: a large file is held once.
template <class T>
std::vector<T> read_values(const UniqueFd& fd, std::uint64_t begin, std::uint64_t end) {
  std::vector<T> values((end - begin) / sizeof(T));
  read_at(fd, begin, std::as_writable_bytes(std::span(values)));
  return values;
}

std::vector<Tensor> read_tensors(const UniqueFd& fd, std::uint64_t file_bytes) {
  const std::string header = header_text(fd, file_bytes);
  const std::vector<TensorEntry> entries = read_entries(header);
  const std::uint64_t data = safetensors_length_bytes + header.size();
  check_tiling(entries, file_bytes - data);
  std::vector<Tensor> tensors;
  for (const TensorEntry& entry : entries) {
    tensors.push_back({entry.name, entry.shape, {}});
    if (entry.real) {
      tensors.back().values = read_values<float>(fd, data + entry.begin, data + entry.end);
    } else {
      tensors.back().values = read_values<std::int32_t>(fd, data + entry.begin, data + entry.end);
    }
  }
  return tensors;
}

/// The header of a file that holds these tensors one after the other, and no others.
std::string header_of_copies(const Json& entries, const std::map<std::string, std::string>& about) {
  Json header = entries;
  if (!about.empty()) header["__metadata__"] = about;
  return aligned(header.dump(-1, ' ', true, Json::error_handler_t::replace));
}

std::string with_length(const std::string& header) {
  const std::uint64_t header_bytes = header.size();
  std::string bytes(safetensors_length_bytes, '\0');
  std::memcpy(bytes.data(), &header_bytes, safetensors_length_bytes);
  return bytes + header;
}

/// Entries of the copies by their new names, and their values one after the other.
struct Copies {
  Json entries = Json::object();
  std::string values;
};

Copies copies_in(const UniqueFd& fd, std::uint64_t file_bytes, std::string_view prefix) {
  const std::string header = header_text(fd, file_bytes);
  const std::uint64_t data = safetensors_length_bytes + header.size();
  const Json json = parse_header(header);
  Copies copies;
  for (const auto& [name, entry] : json.items()) {
    if (!name.starts_with(prefix) || name == "__metadata__") continue;
    const auto [begin, end] = offsets_of(entry);
    if (begin > end || end > file_bytes - data)
      throw InputError(fmt::format("tensor \"{}\" ends beyond the data (the file is cut short)", name));
    const std::uint64_t at = copies.values.size();
    copies.values.resize(at + (end - begin));
    read_at(fd, data + begin, std::as_writable_bytes(std::span(copies.values).subspan(at)));
    Json copy = entry;
    copy["data_offsets"] = {at, at + (end - begin)};
    copies.entries[name.substr(prefix.size())] = std::move(copy);
  }
  return copies;
}

}  // namespace

std::size_t copy_tensors(const std::filesystem::path& from, std::string_view prefix, const std::filesystem::path& to,
                         const std::map<std::string, std::string>& about) {
  const UniqueFd fd = open_regular_file(from);
  const std::uint64_t bytes = file_size(fd, from, max_safetensors_bytes);
  Copies copies;
  try {
    copies = copies_in(fd, bytes, prefix);
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}' is damaged: {}", from.string(), error.what()));
  }
  if (copies.entries.empty()) return 0;
  // A result that the user named, as all others are.
  write_file_atomically(to, with_length(header_of_copies(copies.entries, about)) + copies.values, Readers::by_umask);
  return copies.entries.size();
}

void write_safetensors(const std::filesystem::path& path, const std::vector<Tensor>& tensors) {
  std::string bytes = with_length(header_of(tensors));
  for (const Tensor& tensor : tensors) {
    std::visit(
        [&](const auto& values) {
          bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * element_bytes);
        },
        tensor.values);
  }
  write_file_atomically(path, bytes);
}

std::vector<Tensor> read_safetensors(const std::filesystem::path& path) {
  const UniqueFd fd = open_regular_file(path);
  const std::uint64_t bytes = file_size(fd, path, max_safetensors_bytes);
  try {
    return read_tensors(fd, bytes);
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}' is damaged: {}; write it again", path.string(), error.what()));
  }
}

const Tensor& tensor_named(const std::vector<Tensor>& tensors, const std::string& name) {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& tensor) { return tensor.name == name; });
  if (found != tensors.end()) return *found;
  throw InputError(
      fmt::format("tensor \"{}\" is missing (the model needs it); write the file again for this model", name));
}

}  // namespace regatta::model
