#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "data/formats/formats.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/data/formats.hpp"
#include "regatta/json/document.hpp"

namespace regatta::data {

namespace {

constexpr std::size_t raw_alignment_bytes = 4096;  // a page
constexpr std::size_t raw_piece_bytes = std::size_t{1} << 20;

std::size_t packed_bytes(const Array& array) { return row_bytes(array) * static_cast<std::size_t>(array.count); }

/// Rows one behind the other, whatever lies between them.
void write_rows(const Array& array, const ByteSink& sink) {
  const auto* const first = reinterpret_cast<const char*>(array.first);
  const std::size_t row = row_bytes(array);
  if (array.count == 0) return;
  if (array.stride_bytes == row) return sink({first, packed_bytes(array)});
  std::string piece;
  for (std::size_t i = 0; i < static_cast<std::size_t>(array.count); ++i) {
    piece.append(first + i * array.stride_bytes, row);
    if (piece.size() < raw_piece_bytes) continue;
    sink(piece);
    piece.clear();
  }
  sink(piece);
}

}  // namespace

namespace {

/// A link may lead anywhere, and a sidecar may be a stranger's: what it names lies beside it. The sidecar itself may
/// have been reached by a link.
void refuse_other_folder(const std::filesystem::path& file, const FileBytes& sidecar) {
  std::error_code missing;
  const std::filesystem::path real = std::filesystem::canonical(file, missing);
  if (missing) return;  // it is refused when it is opened
  const std::filesystem::path folder = real.parent_path();
  const std::filesystem::path named = file.has_parent_path() ? file.parent_path() : ".";
  if (folder == std::filesystem::weakly_canonical(named) ||
      folder == std::filesystem::weakly_canonical(sidecar.name).parent_path())
    return;
  throw InputError(
      fmt::format("'{}' names the file '{}', a link that leads to another folder, '{}' (a sidecar reads "
                  "nothing from elsewhere); put the file itself beside it",
                  sidecar.name, file.filename().string(), folder.string()));
}

}  // namespace

std::vector<Array> parse_raw(const FileBytes& sidecar) {
  const std::filesystem::path folder = std::filesystem::path(sidecar.name).parent_path();
  return parse_sidecar(sidecar, [&](const std::string& name) {
    refuse_other_folder(folder / name, sidecar);
    return map_file((folder / name).string());
  });
}

std::string write_raw(const std::filesystem::path& path, const std::vector<Array>& arrays) {
  const std::filesystem::path raw = path.string() + ".raw";
  const std::filesystem::path sidecar = path.string() + ".json";
  std::vector<std::size_t> offsets;
  std::size_t end = 0;
  for (const Array& array : arrays) {
    offsets.push_back((end + raw_alignment_bytes - 1) / raw_alignment_bytes * raw_alignment_bytes);
    end = offsets.back() + packed_bytes(array);
  }
  std::string text = sidecar_text(raw.filename().string(), end, arrays, offsets);
  json::parse(text, sidecar.string());  // a text that cannot be read again is not written
  std::error_code is_missing;
  std::filesystem::remove(sidecar, is_missing);  // it would describe the new file wrongly
  const auto write_arrays = [&](const ByteSink& sink) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      sink(std::string(offsets[i] - at, '\0'));
      write_rows(arrays[i], sink);
      at = offsets[i] + packed_bytes(arrays[i]);
    }
  };
  // The user named them, and a group may share its data.
  write_file_atomically(raw, write_arrays, Readers::by_umask);
  write_file_atomically(sidecar, text, Readers::by_umask);
  return text;
}

}  // namespace regatta::data
