// Files that say of themselves what no file of Regatta says.
#include <gmock/gmock.h>

#include "regatta/base/error.hpp"
#include "results/file/file.hpp"
#include "results/file/netcdf_test.hpp"
#include "results/file/varied_results.hpp"

namespace regatta::results::hdf5 {
namespace {

using testing::HasSubstr;

/// A file in memory with one group and one column of three numbers, "wall_s", made by `create`.
class OddFile {
 public:
  explicit OddFile(const std::function<void(hid_t group)>& create) {
    const Group group(H5Gcreate2(file_, "samples", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "create a group");
    create(group);
  }
  [[nodiscard]] const File& file() const { return file_; }

 private:
  File file_ = create_in_memory();
};

void create_column(hid_t group, hid_t type, hsize_t rows, hid_t creation = H5P_DEFAULT) {
  const Space space(H5Screate_simple(1, &rows, nullptr), "shape");
  const Dataset dataset(H5Dcreate2(group, "wall_s", type, space, H5P_DEFAULT, creation, H5P_DEFAULT), "create");
}

std::string refusal(const OddFile& odd, Wanted wanted = Wanted::numbers, std::uint64_t rows = 3) {
  const QuietErrors quiet;
  return message_of<InputError>([&] { answer(odd.file(), {wanted, "samples", "wall_s", rows}); });
}

void write_array_attribute(hid_t file, const char* name, hid_t type, const void* values) {
  const hsize_t many = 1000;
  const Space space(H5Screate_simple(1, &many, nullptr), "shape");
  const Attribute attribute(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT), "create");
  H5Awrite(attribute, type, values);
}

// A title of a thousand texts was read into the place of one, and overwrote what lay behind it.
TEST(FileColumns, AnAttributeOfManyValuesIsNone) {
  const File file = create_in_memory();
  Type type(H5Tcopy(H5T_C_S1), "text");
  H5Tset_size(type, 8);
  write_array_attribute(file, "title", type, std::string(8000, 'x').data());
  write_array_attribute(file, "n_other_blocks", H5T_NATIVE_INT64, std::vector<std::int64_t>(1000, 7).data());
  EXPECT_EQ(text_attribute(file, "title"), std::nullopt);
  EXPECT_EQ(integer_attribute(file, "n_other_blocks"), std::nullopt);
}

TEST(FileColumns, AnAttributeOfAnotherKindIsNone) {
  const File file = create_in_memory();
  const Space space(H5Screate(H5S_SCALAR), "shape");
  const double number = 7;
  const Attribute attribute(H5Acreate2(file, "title", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT), "create");
  H5Awrite(attribute, H5T_NATIVE_DOUBLE, &number);
  EXPECT_EQ(text_attribute(file, "title"), std::nullopt);
  EXPECT_EQ(integer_attribute(file, "title"), std::nullopt);
}

TEST(FileColumns, AColumnThatLiesInAnotherFileIsRefused) {
  const OddFile odd([](hid_t group) {
    const Properties creation(H5Pcreate(H5P_DATASET_CREATE), "describe");
    H5Pset_external(creation, "/etc/passwd", 0, 24);
    create_column(group, H5T_NATIVE_DOUBLE, 3, creation);
  });
  EXPECT_THAT(refusal(odd), HasSubstr("/samples/wall_s is stored in another file"));
}

TEST(FileColumns, AColumnPutTogetherFromOtherFilesIsRefused) {
  const OddFile odd([](hid_t group) {
    const hsize_t rows = 3;
    const Space space(H5Screate_simple(1, &rows, nullptr), "shape");
    const Properties creation(H5Pcreate(H5P_DATASET_CREATE), "describe");
    H5Pset_virtual(creation, space, "other.h5", "/x", space);
    create_column(group, H5T_NATIVE_DOUBLE, rows, creation);
  });
  EXPECT_THAT(refusal(odd), HasSubstr("/samples/wall_s is put together from other files"));
}

TEST(FileColumns, ALinkIsRefusedWhereverItLeads) {
  const auto elsewhere = [](hid_t group) {
    H5Lcreate_external("other.h5", "/samples/wall_s", group, "wall_s", H5P_DEFAULT, H5P_DEFAULT);
  };
  EXPECT_THAT(refusal(OddFile(elsewhere)), HasSubstr("/samples/wall_s is a link to another file"));
  const auto path = [](hid_t group) { H5Lcreate_soft("/samples/wall_s", group, "wall_s", H5P_DEFAULT, H5P_DEFAULT); };
  EXPECT_THAT(refusal(OddFile(path)), HasSubstr("/samples/wall_s is a link to a path"));
  const File file = create_in_memory();
  H5Lcreate_external("other.h5", "/", file, "samples", H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_THAT(message_of<InputError>([&] {
                answer(file, {Wanted::group, "samples", ""});
              }),
              HasSubstr("the group /samples is a link to another file"));
}

TEST(FileColumns, MoreRowsThanTheFileHasBytesAreRefusedBeforeTheyAreAllocated) {
  const OddFile odd([](hid_t group) { create_column(group, H5T_NATIVE_DOUBLE, hsize_t{1} << 40); });
  EXPECT_THAT(refusal(odd, Wanted::length), HasSubstr("is not one column of a sane length"));
  EXPECT_THAT(refusal(odd, Wanted::numbers, std::uint64_t{1} << 40), HasSubstr("is not one column of a sane length"));
}

TEST(FileColumns, AColumnOfAnotherKindIsRefused) {
  const auto as = [](Wanted wanted, const auto& type) {
    return refusal(OddFile([&](hid_t group) { create_column(group, type(), 3); }), wanted);
  };
  const auto number = [] { return H5T_NATIVE_DOUBLE; };
  const auto letter = [] { return H5T_C_S1; };
  EXPECT_THAT(as(Wanted::numbers, text_type), HasSubstr("does not hold numbers"));
  EXPECT_THAT(as(Wanted::integers, text_type), HasSubstr("does not hold integers"));
  EXPECT_THAT(as(Wanted::texts, number), HasSubstr("does not hold text"));
  EXPECT_THAT(as(Wanted::integers, number), HasSubstr("does not hold integers"));
  EXPECT_THAT(as(Wanted::texts, letter), HasSubstr("does not hold text"));
}

Request column(Wanted wanted, const char* name) { return {wanted, "group", name, 3}; }

TEST(FileColumns, BehindAColumnIsTheOneThatWasWrittenNextWithItsKind) {
  const WrittenGroup written([](GroupWriter& group) {
    group.rows("row", 3);
    group.variable("z", {"row"}, std::vector<std::int8_t>{1, 2, 3});
    group.variable("number", {"row"}, std::vector<double>{1, 2, 3});
    group.variable("a", {"row"}, std::vector<std::string>{"1", "2", "3"});
  });
  const QuietErrors quiet;
  const auto behind = [&](const Request& last) { return column_behind(written.file(), last); };
  EXPECT_EQ(behind(column(Wanted::integers, "row")), column(Wanted::integers, "z"));
  EXPECT_EQ(behind(column(Wanted::integers, "z")), column(Wanted::numbers, "number"));
  EXPECT_EQ(behind(column(Wanted::numbers, "number")), column(Wanted::texts, "a"));
  EXPECT_EQ(behind(column(Wanted::texts, "a")), std::nullopt);
  EXPECT_EQ(behind(column(Wanted::length, "row")), std::nullopt) << "no column was asked for";
  EXPECT_EQ(behind(column(Wanted::texts, "none")), std::nullopt);
}

TEST(FileColumns, WhereNoOrderIsKeptNothingStandsBehindAColumn) {
  const OddFile odd([](hid_t group) { create_column(group, H5T_NATIVE_DOUBLE, 3); });
  const QuietErrors quiet;
  EXPECT_EQ(column_behind(odd.file(), {Wanted::numbers, "samples", "wall_s", 3}), std::nullopt);
  EXPECT_EQ(std::get<Texts>(answer(odd.file(), {Wanted::variables, "samples", ""})).all, "wall_s");
}

TEST(FileColumns, AnotherNumberOfRowsIsRefused) {
  const OddFile odd([](hid_t group) { create_column(group, H5T_NATIVE_DOUBLE, 4); });
  EXPECT_THAT(refusal(odd), HasSubstr("/samples/wall_s has 4 rows, not 3"));
}

}  // namespace
}  // namespace regatta::results::hdf5
