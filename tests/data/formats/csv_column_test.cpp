#include "data/formats/csv_column.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "data/formats/csv_cells.hpp"
#include "data/formats/format_files.hpp"

namespace regatta::data {
namespace {

TEST(CsvNumber, IsTheWholeText) {
  EXPECT_EQ(csv_number("12"), 12);
  EXPECT_EQ(csv_number("-1.5e-3"), -0.0015);
  EXPECT_EQ(csv_number("+.5"), 0.5);
  EXPECT_EQ(csv_number("-1e400"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(csv_number("1e-400"), 0);
  for (const char* const text : {"", "+", "-", "--1", "1x", "1 2", "0x10", "1,5", "e5", "nan", "i"})
    EXPECT_FALSE(csv_number(text).has_value()) << text;
}

TEST(CsvColumn, CountsMissingCells) {
  const FileBytes file = file_of("", "x.csv");
  const CsvCells cells(file, ',');
  CsvColumn column("a");
  EXPECT_TRUE(std::isnan(column.value("NA", file, cells)));
  EXPECT_EQ(column.value("5", file, cells), 5);
  EXPECT_EQ(column.column().missing, 1);
  EXPECT_TRUE(column.takes_small_numbers());
}

TEST(CsvColumn, ANumberThatStandsForNoValueIsNoSmallNumber) {
  const std::vector<std::string> missing = {"?", "9999"};
  EXPECT_FALSE(CsvColumn("a", {.missing = missing}).takes_small_numbers());
  EXPECT_TRUE(CsvColumn("a", {.missing = std::span(missing).first(1)}).takes_small_numbers());
}

TEST(CsvColumn, StartsAgainWithTexts) {
  const FileBytes file = file_of("", "x.csv");
  const CsvCells cells(file, ',');
  CsvColumn column("a");
  column.value("5", file, cells);
  column.value("b", file, cells);
  EXPECT_TRUE(column.is_to_be_read_again());
  column.start_again();
  EXPECT_FALSE(column.is_to_be_read_again());
  EXPECT_EQ(column.value("5", file, cells), 0);
  EXPECT_EQ(column.value("b", file, cells), 1);
  EXPECT_EQ(column.column().categories.size(), 2U);
  EXPECT_GT(column.text_bytes(), 0U);
}

TEST(CsvCells, KnowEmptyLinesAndRowsWithoutAValue) {
  const FileBytes file = file_of("a,b\n\n , \"\"\n1,\n", "x.csv");
  CsvCells cells(file, ',');
  const auto pass = [&] {
    while (cells.has_more()) cells.next_cell();
  };
  ASSERT_TRUE(cells.next_record());
  EXPECT_FALSE(cells.passed_empty_lines());
  EXPECT_FALSE(cells.is_blank_record());
  pass();
  ASSERT_TRUE(cells.next_record());
  EXPECT_TRUE(cells.passed_empty_lines());
  EXPECT_TRUE(cells.is_blank_record());
  pass();
  ASSERT_TRUE(cells.next_record());
  EXPECT_FALSE(cells.passed_empty_lines());
  EXPECT_FALSE(cells.is_blank_record());
}

TEST(CsvCells, KnowTheirLine) {
  const FileBytes file = file_of("a,\"b\nc\"\n\n12,x\n", "x.csv");
  CsvCells cells(file, ',');
  ASSERT_TRUE(cells.next_record());
  EXPECT_EQ(cells.next_cell(), "a");
  EXPECT_TRUE(cells.has_more());
  EXPECT_EQ(cells.next_cell(), "b\nc");
  EXPECT_FALSE(cells.has_more());
  ASSERT_TRUE(cells.next_record());
  EXPECT_EQ(cells.line(), 4U);
  EXPECT_EQ(cells.offset(), 9U);
  EXPECT_EQ(cells.take_small_number(), 12.0F);
  EXPECT_FALSE(cells.take_small_number().has_value());
  EXPECT_EQ(cells.next_cell(), "x");
  EXPECT_FALSE(cells.next_record());
}

}  // namespace
}  // namespace regatta::data
