#include "results/file/netcdf_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "regatta/base/error.hpp"
#include "results/file/file.hpp"
#include "results/file/netcdf_test.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results::hdf5 {
namespace {

Dataset open(const WrittenGroup& written, const char* path) {
  return {H5Dopen2(written.file(), path, H5P_DEFAULT), path};
}

TEST(GroupWriter, VariableIsAttachedToTheScaleOfEachOfItsAxes) {
  const WrittenGroup written([](GroupWriter& group) {
    group.dimension("engine", std::vector<std::string>{"a", "b"}, false);
    group.dimension("batch", std::vector<std::int64_t>{8, 16, 32}, false);
    group.variable("time", {"engine", "batch"}, std::vector<double>(6, 1.0));
  });
  const Dataset time = open(written, "group/time");
  const Dataset engine = open(written, "group/engine");
  const Dataset batch = open(written, "group/batch");
  EXPECT_GT(H5DSis_scale(engine), 0);
  EXPECT_GT(H5DSis_attached(time, engine, 0), 0);
  EXPECT_GT(H5DSis_attached(time, batch, 1), 0);
  EXPECT_EQ(H5DSis_attached(time, batch, 0), 0);
}

TEST(GroupWriter, OrderOfCreationIsTracked) {
  const WrittenGroup written([](GroupWriter& group) {
    group.rows("z", 2), group.variable("a", {"z"}, std::vector<double>{1, 2});
  });
  const Group group(H5Gopen2(written.file(), "group", H5P_DEFAULT), "open");
  const Properties of_group(H5Gget_create_plist(group), "look");
  unsigned order = 0;
  H5Pget_link_creation_order(of_group, &order);
  EXPECT_EQ(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  const Properties of_dataset(H5Dget_create_plist(open(written, "group/a")), "look");
  H5Pget_attr_creation_order(of_dataset, &order);
  EXPECT_EQ(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
}

TEST(GroupWriter, NumbersAreShuffledCompressedAndChecksummed) {
  const WrittenGroup written([](GroupWriter& group) { group.rows("row", 100'000); });
  const Properties creation(H5Dget_create_plist(open(written, "group/row")), "look");
  ASSERT_EQ(H5Pget_nfilters(creation), 3);
  const std::array<H5Z_filter_t, 3> expected = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
  for (unsigned i = 0; i < 3; ++i) {
    unsigned flags = 0;
    std::size_t count = 0;
    EXPECT_EQ(H5Pget_filter2(creation, i, &flags, &count, nullptr, 0, nullptr, nullptr), expected[i]);
  }
  hsize_t chunk = 0;
  EXPECT_EQ(H5Pget_chunk(creation, 1, &chunk), 1);
  EXPECT_LE(chunk, 65536U);
}

TEST(GroupWriter, TableMayGrowAndGridMayNot) {
  const WrittenGroup written([](GroupWriter& group) {
    group.rows("row", 0);
    group.dimension("level", std::vector<std::int64_t>{1}, false);
  });
  for (const auto& [name, growing] : {std::pair("group/row", true), std::pair("group/level", false)}) {
    const Space space(H5Dget_space(open(written, name)), "look");
    hsize_t largest = 0;
    H5Sget_simple_extent_dims(space, nullptr, &largest);
    EXPECT_EQ(largest == H5S_UNLIMITED, growing) << name;
  }
}

TEST(GroupWriter, NoTimeOfWritingIsStored) {
  const WrittenGroup written([](GroupWriter& group) { group.rows("row", 2); });
  for (const char* object : {"group", "group/row"}) {
    H5O_info_t info{};
    ASSERT_GE(H5Oget_info_by_name2(written.file(), object, &info, H5O_INFO_TIME, H5P_DEFAULT), 0);
    EXPECT_EQ(info.ctime, 0) << object << ": the same results give the same bytes";
  }
}

TEST(GroupWriter, FlagsNumberTheirMeanings) {
  const WrittenGroup written([](GroupWriter& group) {
    group.rows("row", 1);
    group.variable("status", {"row"}, std::vector<std::int8_t>{1}).flags({"good", "bad"});
  });
  EXPECT_EQ(text_attribute(open(written, "group/status"), "flag_meanings"), "good bad");
}

TEST(GroupWriter, BitsMaskTheirMeanings) {
  const WrittenGroup written([](GroupWriter& group) {
    group.rows("row", 1);
    group.variable("flags", {"row"}, std::vector<std::uint8_t>{4}).bits({"a", "b", "c"});
  });
  const Dataset flags = open(written, "group/flags");
  EXPECT_EQ(text_attribute(flags, "flag_meanings"), "a b c");
  const Attribute masks(H5Aopen(flags, "flag_masks", H5P_DEFAULT), "open flag_masks");
  std::array<std::uint8_t, 3> values{};
  ASSERT_GE(H5Aread(masks, H5T_NATIVE_UINT8, values.data()), 0);
  EXPECT_EQ(values, (std::array<std::uint8_t, 3>{1, 2, 4}));
}

/// Columns of each kind.
void put_columns(const File& file, const std::vector<std::string>& words, const std::string& unit = "s") {
  put_attribute(file, "title", "t");
  put_attribute(file, "n", std::int64_t{3});
  GroupWriter group(file, "group");
  group.rows("row", words.size());
  group.variable("word", {"row"}, words).describe("words");
  group.variable("number", {"row"}, std::vector<double>(words.size(), std::nan(""))).unit(unit);
  group.variable("status", {"row"}, std::vector<std::int8_t>(words.size(), 1)).flags({"good", "bad"});
  group.variable("single", {}, std::vector<std::string>{"one"});
}

/// The reported difference between a file of these words and one of those.
std::string difference(const std::vector<std::string>& written, const std::vector<std::string>& meant,
                       const std::string& unit = "s") {
  support::TemporaryFolder folder;
  const std::filesystem::path path = folder / "group.h5";
  {
    const File file = create_in_memory();
    put_columns(file, written);
    spill(path, file_image(file));
  }
  try {
    put_columns(open_to_read(path), meant, unit);
    return "";
  } catch (const Differs& different) {
    return different.what();
  }
}

TEST(GroupWriter, ComparesInAFileThatIsOpenedToRead) {
  const std::vector<std::string> few = {"a", "", "c"};
  EXPECT_EQ(difference(few, few), "");
  EXPECT_EQ(difference(few, {"a", "b", "c"}), "word");
  EXPECT_EQ(difference(few, {"a", ""}), "row");
  EXPECT_EQ(difference(few, few, "m"), "units");
}

TEST(GroupWriter, ComparesTextsThatAreShared) {
  std::vector<std::string> many(100'000);
  for (std::size_t row = 0; row < many.size(); ++row) many[row] = std::string(row % 5, 'x');
  EXPECT_EQ(difference(many, many), "");
  std::vector<std::string> other = many;
  other[99'999] += "y";
  EXPECT_EQ(difference(many, other), "word");
  EXPECT_EQ(difference(other, many), "word");
  other = many;
  std::ranges::replace(other, std::string(3, 'x'), std::string(3, 'z'));
  EXPECT_EQ(difference(many, other), "word") << "everywhere alike";
  for (std::size_t row = 0; row < many.size(); ++row) other[row] = std::to_string(row);
  EXPECT_EQ(difference(other, many), "word");
  EXPECT_EQ(difference(many, other), "word");
}

TEST(GroupWriter, WrongNumberOfValuesOrUnknownDimensionIsAMistakeOfOurs) {
  const File file = create_in_memory();
  GroupWriter group(file, "group");
  group.rows("row", 2);
  EXPECT_THROW(group.variable("a", {"row"}, std::vector<double>{1}), InternalError);
  EXPECT_THROW(group.variable("a", {"column"}, std::vector<double>{1}), InternalError);
}

}  // namespace
}  // namespace regatta::results::hdf5
