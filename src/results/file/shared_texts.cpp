#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "results/file/file.hpp"

namespace regatta::results::hdf5 {
namespace {

constexpr std::size_t fewest_rows = 1000;     // fewer are not worth the calls
constexpr std::size_t rows_of_each_text = 4;  // on average
constexpr const char* action = "write text once";
constexpr const char* checking = "compare text";

/// The texts of a column, each once, and which of them each row has.
struct Distinct {
  std::vector<const char*> texts;
  std::vector<std::uint32_t> of_rows;
};

std::optional<Distinct> distinct_of(const std::vector<std::string>& values, std::size_t most) {
  Distinct distinct;
  distinct.of_rows.reserve(values.size());
  std::unordered_map<std::string_view, std::uint32_t> known;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (row > 0 && values[row] == values[row - 1]) {
      distinct.of_rows.push_back(distinct.of_rows.back());
      continue;
    }
    const auto [entry, is_new] = known.try_emplace(values[row], static_cast<std::uint32_t>(known.size()));
    if (is_new) distinct.texts.push_back(values[row].c_str());
    if (distinct.texts.size() > most) return std::nullopt;
    distinct.of_rows.push_back(entry->second);
  }
  return distinct;
}

hsize_t chunk_rows_of(hid_t dataset) {
  const Properties creation(H5Dget_create_plist(dataset), action);
  hsize_t rows = 0;
  checked(H5Pget_chunk(creation, 1, &rows), action);
  return rows;
}

std::string chunk_at(hid_t dataset, hsize_t first) {
  hsize_t bytes = 0;
  checked(H5Dget_chunk_storage_size(dataset, &first, &bytes), action);
  std::string chunk(bytes, '\0');
  std::uint32_t filters = 0;
  checked(H5Dread_chunk(dataset, H5P_DEFAULT, &first, &filters, chunk.data()), action);
  return chunk;
}

/// Nothing if the column is too short, or has too many texts, to be shared.
std::optional<Distinct> shareable(hid_t dataset, const std::vector<std::string>& values) {
  const Space space(H5Dget_space(dataset), action);
  if (values.size() < fewest_rows || H5Sget_simple_extent_ndims(space) != 1) return std::nullopt;
  return distinct_of(values, std::min<std::size_t>(values.size() / rows_of_each_text, chunk_rows_of(dataset)));
}

/// Writes the texts into the first rows, and gives what then stands there: where each of them lies.
std::string places_of(hid_t dataset, hid_t type, const std::vector<const char*>& texts, hsize_t chunk_rows) {
  const hsize_t first = 0, count = texts.size();
  const Space memory(H5Screate_simple(1, &count, nullptr), action);
  const Space rows(H5Dget_space(dataset), action);
  checked(H5Sselect_hyperslab(rows, H5S_SELECT_SET, &first, nullptr, &count, nullptr), action);
  checked(H5Dwrite(dataset, type, memory, rows, H5P_DEFAULT, texts.data()), action);
  checked(H5Dflush(dataset), action);
  std::string chunk = chunk_at(dataset, first);
  chunk.resize(chunk.size() / chunk_rows * texts.size());
  return chunk;
}

/// Whether all rows of one text name one place. Gives the first row of each text.
std::optional<std::vector<hsize_t>> rows_if_shared(hid_t dataset, const Distinct& distinct) {
  const hsize_t chunk_rows = chunk_rows_of(dataset);
  std::vector<hsize_t> first_rows;
  std::string places;  // where the texts lie that were met
  std::string chunk;
  for (std::size_t row = 0; row < distinct.of_rows.size(); ++row) {
    if (row % chunk_rows == 0) chunk = chunk_at(dataset, row);
    const std::size_t size = chunk.size() / chunk_rows;
    if (size == 0) return std::nullopt;
    const char* place = chunk.data() + row % chunk_rows * size;
    const std::size_t text = distinct.of_rows[row];
    if (text == first_rows.size()) {
      first_rows.push_back(row);
      places.append(place, size);
    } else if (std::memcmp(places.data() + text * size, place, size) != 0) {
      return std::nullopt;
    }
  }
  return first_rows;
}

/// Whether what the selected rows hold are these texts.
template <class Texts>
bool holds_selected(hid_t dataset, hid_t type, hid_t rows, const Texts& texts) {
  const hsize_t count = texts.size();
  std::vector<char*> read(count, nullptr);
  const Space memory(H5Screate_simple(1, &count, nullptr), checking);
  checked(H5Dread(dataset, type, memory, rows, H5P_DEFAULT, read.data()), checking);
  const bool same = std::ranges::equal(read, texts, [](const char* one, const std::string_view other) {
    return (one == nullptr ? std::string_view() : std::string_view(one)) == other;
  });
  checked(H5Dvlen_reclaim(type, memory, H5P_DEFAULT, read.data()), checking);
  return same;
}

}  // namespace

bool holds_texts(hid_t dataset, hid_t type, const std::vector<std::string>& values) {
  const Space rows(H5Dget_space(dataset), checking);
  if (H5Sget_simple_extent_npoints(rows) != static_cast<hssize_t>(values.size())) return false;
  if (values.empty()) return true;
  const auto distinct = shareable(dataset, values);
  const auto first_rows = distinct ? rows_if_shared(dataset, *distinct) : std::nullopt;
  if (!first_rows) return holds_selected(dataset, type, rows, values);
  checked(H5Sselect_elements(rows, H5S_SELECT_SET, first_rows->size(), first_rows->data()), checking);
  return holds_selected(dataset, type, rows, distinct->texts);
}

bool write_shared(hid_t dataset, hid_t type, const std::vector<std::string>& values) {
  const auto distinct = shareable(dataset, values);
  if (!distinct) return false;
  const hsize_t chunk_rows = chunk_rows_of(dataset);
  const std::string places = places_of(dataset, type, distinct->texts, chunk_rows);
  const std::size_t size = places.size() / distinct->texts.size();
  for (hsize_t first = 0; first < values.size(); first += chunk_rows) {
    std::string chunk(size * chunk_rows, '\0');
    const std::size_t rows = std::min<std::size_t>(chunk_rows, values.size() - first);
    for (std::size_t at = 0; at < rows; ++at)
      std::memcpy(chunk.data() + at * size, places.data() + distinct->of_rows[first + at] * size, size);
    checked(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &first, chunk.size(), chunk.data()), action);
  }
  return true;
}

}  // namespace regatta::results::hdf5
