#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "results/file/file.hpp"
#include "results/file/netcdf_reader.hpp"
#include "results/file/netcdf_test.hpp"

namespace regatta::results::hdf5 {
namespace {

constexpr std::size_t rows = 150'000;  // three chunks, the last of them not full

using Texts = std::vector<std::string>;

Texts few_texts() {
  const Texts texts = {"", "native", std::string(3000, 'x'), "\xc3\xbc"};
  Texts values;
  for (std::size_t row = 0; row < rows; ++row) values.push_back(texts[row * row / 7 % texts.size()]);
  return values;
}

WrittenGroup written(const Texts& values) {
  return WrittenGroup([&](GroupWriter& group) {
    group.rows("row", values.size());
    group.variable("word", {"row"}, values);
  });
}

Texts read(const WrittenGroup& group) { return GroupReader(columns_of(group.file()), "group", "row").texts("word"); }

hsize_t bytes_of(const WrittenGroup& group) {
  hsize_t bytes = 0;
  H5Fget_filesize(group.file(), &bytes);
  return bytes;
}

TEST(SharedTexts, ComeBackInTheirRows) { EXPECT_EQ(read(written(few_texts())), few_texts()); }

TEST(SharedTexts, StandInTheFileOnce) {
  Texts values(rows, std::string(1000, 'a'));
  const hsize_t of_one = bytes_of(written(values));
  EXPECT_LT(of_one, rows * 20) << "16 bytes in each row, and the text";
  for (std::size_t row = 0; row < rows; ++row) values[row].back() = static_cast<char>('a' + row % 20);
  EXPECT_LT(bytes_of(written(values)), of_one + 20 * 1000 + 16384) << "the library keeps texts in pieces of 4 KiB";
}

TEST(SharedTexts, ThatAllDifferComeBackToo) {
  Texts values;
  for (std::size_t row = 0; row < rows; ++row) values.push_back(std::to_string(row));
  EXPECT_EQ(read(written(values)), values);
}

TEST(SharedTexts, OfFewRowsComeBackToo) {
  for (const std::size_t few : {1UL, 999UL, 1000UL, 1001UL}) {
    const Texts all = few_texts();
    const Texts values(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(few));
    EXPECT_EQ(read(written(values)), values);
  }
}

TEST(SharedTexts, AreReadInPiecesAsWhole) {
  const Texts values = few_texts();
  const WrittenGroup group = written(values);
  const Dataset word(H5Dopen2(group.file(), "group/word", H5P_DEFAULT), "open");
  for (const hsize_t row : {0UL, 65'535UL, 75'000UL, 149'999UL}) {
    const hsize_t one = 1;
    const Space memory(H5Screate_simple(1, &one, nullptr), "describe");
    const Space file(H5Dget_space(word), "describe");
    checked(H5Sselect_hyperslab(file, H5S_SELECT_SET, &row, nullptr, &one, nullptr), "select");
    char* text = nullptr;
    checked(H5Dread(word, text_type(), memory, file, H5P_DEFAULT, &text), "read");
    EXPECT_EQ(text == nullptr ? "" : text, values[row]) << row;
    H5free_memory(text);
  }
}

}  // namespace
}  // namespace regatta::results::hdf5
