#include "texts.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "calls.hpp"
#include "regatta/base/units.hpp"
#include "regatta/data/hdf5_answer.hpp"

namespace regatta::data {
namespace {

constexpr std::size_t most_text_bytes = 65536;
constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 20;  // texts are read piece by piece

struct Codes {
  Texts texts;
  std::unordered_map<std::string, std::int32_t> known;
  std::uint64_t most_bytes;
};

void add(Codes& codes, std::string_view text) {
  const auto next = static_cast<std::int32_t>(codes.known.size());
  const auto [at, is_new] = codes.known.try_emplace(std::string(text), next);
  codes.texts.codes.push_back(at->second);
  if (!is_new) return;
  if (codes.known.size() > hdf5_most_categories) {
    throw InputError(fmt::format("it has more than {} different texts (they name rows, not kinds of rows); use another",
                                 hdf5_most_categories));
  }
  codes.texts.categories.append(text);
  codes.texts.categories.push_back('\0');
  if (codes.texts.categories.size() > codes.most_bytes)
    throw InputError(
        fmt::format("its texts take more than {} of memory; use shorter ones", format_size(codes.most_bytes)));
}

/// As the library gives texts in memory: their own bytes, or pointers to them.
hid_t memory_type_of(hid_t type, bool is_variable, std::size_t bytes) {
  const hid_t memory = checked(::H5Tcopy(H5T_C_S1), "begin");
  checked(::H5Tset_size(memory, is_variable ? H5T_VARIABLE : bytes), "begin");
  checked(::H5Tset_strpad(memory, H5T_STR_NULLTERM), "begin");
  checked(::H5Tset_cset(memory, ::H5Tget_cset(type)), "read its encoding");
  return memory;
}

/// Where a piece of rows lies in the file and in memory.
struct Piece {
  hid_t in_file;
  hid_t in_memory;
};

Piece piece_at(hid_t dataset, std::uint64_t first, std::uint64_t count) {
  const hid_t in_file = checked(::H5Dget_space(dataset), "read its shape");
  std::array<hsize_t, 2> start{first, 0};
  std::array<hsize_t, 2> sizes{count, 1};
  checked(::H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, sizes.data(), nullptr), "read it");
  return {in_file, checked(::H5Screate_simple(1, sizes.data(), nullptr), "begin")};
}

void add_pointers(Codes& codes, hid_t dataset, hid_t memory, const Piece& piece, std::size_t count) {
  std::vector<char*> texts(count, nullptr);
  checked(::H5Dread(dataset, memory, piece.in_memory, piece.in_file, H5P_DEFAULT, texts.data()), "read it");
  for (const char* text : texts) add(codes, text == nullptr ? std::string_view() : std::string_view(text));
  checked(::H5Dvlen_reclaim(memory, piece.in_memory, H5P_DEFAULT, texts.data()), "go on");
}

void add_bytes(Codes& codes, hid_t dataset, hid_t memory, const Piece& piece, std::size_t count) {
  const std::size_t size = ::H5Tget_size(memory);
  std::vector<char> texts(count * size);
  checked(::H5Dread(dataset, memory, piece.in_memory, piece.in_file, H5P_DEFAULT, texts.data()), "read it");
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view all(texts.data() + i * size, size);
    add(codes, all.substr(0, all.find('\0')));
  }
}

}  // namespace

bool holds_texts(hid_t type) { return ::H5Tget_class(type) == H5T_STRING; }

Texts read_texts(hid_t dataset, hid_t type, std::uint64_t rows, std::uint64_t most_bytes) {
  const bool is_variable = ::H5Tis_variable_str(type) > 0;
  const std::size_t bytes = is_variable ? sizeof(char*) : ::H5Tget_size(type) + 1;
  if (bytes > most_text_bytes)
    throw InputError(
        fmt::format("its texts have {} bytes each (they name rows, not kinds of rows); use another", bytes));
  const hid_t memory = memory_type_of(type, is_variable, bytes);
  Codes codes{.texts = {}, .known = {}, .most_bytes = most_bytes};
  codes.texts.codes.reserve(rows);
  const std::uint64_t rows_at_once = std::max<std::uint64_t>(1, piece_bytes / bytes);
  for (std::uint64_t first = 0; first < rows; first += rows_at_once) {
    const std::uint64_t count = std::min(rows_at_once, rows - first);
    const Piece piece = piece_at(dataset, first, count);
    if (is_variable)
      add_pointers(codes, dataset, memory, piece, count);
    else
      add_bytes(codes, dataset, memory, piece, count);
    ::H5Sclose(piece.in_file);
    ::H5Sclose(piece.in_memory);
  }
  return std::move(codes.texts);
}

}  // namespace regatta::data
