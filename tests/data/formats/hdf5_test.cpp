#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <string>

#include "data/formats/format_files.hpp"
#include "data/formats/formats.hpp"
#include "regatta/base/files.hpp"
#include "regatta/data/formats.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// A dataset that a test writes.
struct Written {
  std::string name;
  hid_t stored;  ///< its type in the file
  std::vector<hsize_t> sizes;
  std::vector<double> values;  ///< all of them, or none
  std::vector<hsize_t> chunk = {};
  std::string external = {};  ///< the file that its numbers lie in
};

/// As h5py writes booleans.
hid_t truth_type() {
  const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
  const std::int8_t values[] = {0, 1};
  H5Tenum_insert(type, "FALSE", values);
  H5Tenum_insert(type, "TRUE", values + 1);
  return type;
}

hid_t text_type(std::size_t bytes, H5T_str_t padding) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, bytes);
  H5Tset_strpad(type, padding);
  return type;
}

/// An attribute of one value.
void set_attribute(hid_t dataset, const char* name, hid_t type, const void* value) {
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, value);
  H5Aclose(attribute);
  H5Sclose(space);
}

class Hdf5Files : public testing::Test {
 protected:
  void write(const std::vector<Written>& all) const {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    for (const Written& each : all) {
      const hid_t space = H5Screate_simple(static_cast<int>(each.sizes.size()), each.sizes.data(), nullptr);
      const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
      if (!each.chunk.empty()) {
        H5Pset_chunk(how, static_cast<int>(each.chunk.size()), each.chunk.data());
        H5Pset_shuffle(how);
        H5Pset_deflate(how, 4);
      }
      if (!each.external.empty()) H5Pset_external(how, each.external.c_str(), 0, H5F_UNLIMITED);
      const hid_t dataset = H5Dcreate2(file, each.name.c_str(), each.stored, space, links, how, H5P_DEFAULT);
      if (!each.values.empty()) H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, each.values.data());
      H5Dclose(dataset);
      H5Pclose(how);
      H5Sclose(space);
    }
    H5Pclose(links);
    H5Fclose(file);
  }

  /// One dataset, of values as they lie in memory.
  void write_one(const char* name, hid_t type, const std::vector<hsize_t>& sizes, const void* values,
                 hsize_t block_before = 0) const {
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(creation, block_before);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Pclose(creation);
    H5Fclose(file);
  }

  void add_attribute(const char* dataset, const char* name, hid_t type, const void* value) const {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t opened = H5Dopen2(file, dataset, H5P_DEFAULT);
    set_attribute(opened, name, type, value);
    H5Dclose(opened);
    H5Fclose(file);
  }

  [[nodiscard]] std::string refusal(const std::string& dataset = {}, std::uint64_t cap = std::uint64_t{1} << 30) const {
    return refusal_of([&] {
      for (const Array& array : read_hdf5(path, dataset, cap)) sum_of_rows(array);
    });
  }

  support::TemporaryFolder folder;
  std::string path = (folder / "a.h5").string();
};

const std::vector<double> one_to_six = {1, 2, 3, 4, 5, 6};

TEST_F(Hdf5Files, GiveXAndYOrWhatIsNamed) {
  write({{"x", H5T_IEEE_F32LE, {3, 2}, one_to_six},
         {"y", H5T_STD_U8LE, {3}, {7, 8, 9}},
         {"train/images", H5T_STD_I16BE, {2, 3}, one_to_six, {1, 3}}});
  const std::vector<Array> both = open_data_file(path, {});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].name, "x");
  EXPECT_THAT(both[0].shape, ElementsAre(2));
  EXPECT_THAT(values_of<float>(both[0]), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(both[1].name, "y");
  EXPECT_THAT(values_of<std::uint8_t>(both[1]), ElementsAre(7, 8, 9));
  const Array images = open_data_file(path + ":/train/images", {}).at(0);
  EXPECT_EQ(images.name, "images");
  EXPECT_EQ(images.count, 2);
  EXPECT_THAT(values_of<std::int32_t>(images), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(Hdf5Files, WidenNumbersAsNpyFilesDo) {
  write({{"/a", H5T_STD_U32LE, {2}, {1, 4294967295.0}},
         {"/b", H5T_IEEE_F64BE, {2}, {0.5, -1}},
         {"/c", H5T_STD_U64LE, {1}, {1e19}}});
  EXPECT_THAT(values_of<std::int64_t>(read_hdf5(path, "/a", 1 << 20).at(0)), ElementsAre(1, 4294967295));
  EXPECT_THAT(values_of<double>(read_hdf5(path, "/b", 1 << 20).at(0)), ElementsAre(0.5, -1));
  EXPECT_THAT(refusal("/c"), StartsWith("'" + path + "': dataset /c: the HDF5 library cannot read it ("));
}

TEST_F(Hdf5Files, GiveWholeNumbersOfEnumerations) {
  const std::int8_t truth[] = {1, 0, 1};
  write_one("x", truth_type(), {3}, truth);
  const Array x = open_data_file(path, {}).at(0);
  EXPECT_EQ(x.type, ElementType::int32);
  EXPECT_THAT(values_of<std::int32_t>(x), ElementsAre(1, 0, 1));
  const hid_t colors = H5Tenum_create(H5T_STD_U16BE);
  const std::uint16_t stored[] = {__builtin_bswap16(300), __builtin_bswap16(7)};
  H5Tenum_insert(colors, "blue", stored);
  H5Tenum_insert(colors, "red", stored + 1);
  write_one("x", colors, {2}, stored);
  EXPECT_THAT(values_of<std::int32_t>(open_data_file(path, {}).at(0)), ElementsAre(300, 7));
}

TEST_F(Hdf5Files, GiveCategoriesOfTexts) {
  const char fixed[][4] = {"dog", "cat", "dog", "ox"};
  for (const H5T_str_t padding : {H5T_STR_NULLTERM, H5T_STR_NULLPAD}) {
    write_one("x", text_type(4, padding), {4, 1}, fixed);
    const Array x = open_data_file(path, {}).at(0);
    EXPECT_THAT(values_of<std::int32_t>(x), ElementsAre(0, 1, 0, 2));
    EXPECT_THAT(x.categories, ElementsAre("dog", "cat", "ox"));
    EXPECT_TRUE(x.shape.empty());
  }
  write_one("x", text_type(3, H5T_STR_SPACEPAD), {2}, "a  bcd");
  EXPECT_THAT(open_data_file(path, {}).at(0).categories, ElementsAre("a", "bcd"));
  const char* const pointers[] = {"caf\xc3\xa9", "tea", "caf\xc3\xa9"};
  const hid_t variable = text_type(H5T_VARIABLE, H5T_STR_NULLTERM);
  H5Tset_cset(variable, H5T_CSET_UTF8);
  write_one("x", variable, {3}, pointers);
  EXPECT_THAT(open_data_file(path, {}).at(0).categories, ElementsAre("caf\xc3\xa9", "tea"));
  EXPECT_THAT(values_of<std::int32_t>(open_data_file(path, {}).at(0)), ElementsAre(0, 1, 0));
}

TEST_F(Hdf5Files, RefuseTextsThatAreNoCategories) {
  write_one("x", text_type(1, H5T_STR_NULLPAD), {2, 2}, "abcd");
  EXPECT_THAT(refusal(), HasSubstr("dataset x: it has several texts in a row"));
  write_one("x", text_type(1, H5T_STR_NULLPAD), {2}, "a\xe9");
  EXPECT_THAT(refusal(), HasSubstr("one of its texts is not UTF-8"));
  write_one("x", text_type(3, H5T_STR_NULLPAD), {2}, "yesNaN");
  EXPECT_THAT(refusal(), HasSubstr("its texts hold \"NaN\" (a missing value)"));
  std::string many;
  for (int i = 0; i <= 65536; ++i) many += std::to_string(100000 + i);
  write_one("x", text_type(6, H5T_STR_NULLPAD), {65537}, many.data());
  EXPECT_THAT(refusal(), HasSubstr("it has more than 65536 different texts"));
}

TEST_F(Hdf5Files, MayBeginBehindABlockOfAnotherProgram) {
  const double values[] = {1, 2, 3};
  for (const hsize_t block : {512, 1024, 2048}) {
    write_one("x", H5T_NATIVE_DOUBLE, {3}, values, block);
    EXPECT_THAT(values_of<double>(open_data_file(path, {}).at(0)), ElementsAre(1, 2, 3)) << block;
  }
  const std::string other = (folder / "grid.of.no.name").string();
  fs::rename(path, other);
  EXPECT_THAT(values_of<double>(open_data_file(other + ":/x", {}).at(0)), ElementsAre(1, 2, 3));
  write_file_atomically(path, "abc");
  EXPECT_EQ(refusal_of([&] { open_data_file(path + ":/x", {}); }),
            "'" + path + "' is no HDF5 file, so that it holds no dataset /x; name the file alone");
}

TEST_F(Hdf5Files, OfMatlabHaveTheirRowsFirst) {
  const double columns[] = {1, 2, 3, 10, 20, 30};  // 3 rows of 2 in MATLAB, column behind column
  write_one("x", H5T_NATIVE_DOUBLE, {2, 3}, columns, 512);
  add_attribute("x", "MATLAB_class", text_type(6, H5T_STR_NULLTERM), "double");
  const Array x = open_data_file(path, {}).at(0);
  EXPECT_EQ(x.count, 3);
  EXPECT_THAT(x.shape, ElementsAre(2));
  EXPECT_THAT(values_of<double>(x), ElementsAre(1, 10, 2, 20, 3, 30));
  EXPECT_THAT(refusal({}, 50), HasSubstr("of memory or more to read"));
  const std::uint16_t text[] = {'a', 'b'};
  write_one("x", H5T_NATIVE_UINT16, {2, 1}, text, 512);
  add_attribute("x", "MATLAB_class", text_type(4, H5T_STR_NULLPAD), "char");
  EXPECT_THAT(refusal(), HasSubstr("dataset x: it is a text of MATLAB"));
}

TEST_F(Hdf5Files, RefuseNumbersThatMeanOthers) {
  const std::int16_t values[] = {5, -999, 7};
  const double factor = 0.1;
  write_one("x", H5T_NATIVE_INT16, {3}, values);
  add_attribute("x", "scale_factor", H5T_NATIVE_DOUBLE, &factor);
  EXPECT_THAT(refusal(), HasSubstr("dataset x: its numbers are packed (attributes scale_factor, add_offset)"));
  write_one("x", H5T_NATIVE_INT16, {3}, values);
  add_attribute("x", "_FillValue", H5T_NATIVE_INT16, values + 1);
  EXPECT_THAT(refusal(), HasSubstr("dataset x: number 1 (counted from 0) is missing (it is the _FillValue)"));
  const std::int16_t other = 9;
  write_one("x", H5T_NATIVE_INT16, {3}, values);
  add_attribute("x", "_FillValue", H5T_NATIVE_INT16, &other);
  EXPECT_EQ(refusal(), "no error");
}

TEST_F(Hdf5Files, SayWhatTheyDoNotHold) {
  write({{"images", H5T_STD_U8LE, {1}, {1}}, {"labels", H5T_C_S1, {1}, {}}, {"none", H5T_STD_U8LE, {0, 3}, {}}});
  EXPECT_EQ(refusal(),
            "'" + path + "': it has no dataset x (it holds: images, labels, none); name one, as FILE.h5:/DATASET");
  EXPECT_THAT(refusal("/no/way"), HasSubstr("it has no dataset /no/way"));
  EXPECT_EQ(refusal("/labels"),
            "'" + path + "': its texts hold \"\" (a missing value); fill it in, or take the rows out");
  EXPECT_THAT(refusal("/none"), HasSubstr("one of its sizes is 0"));
}

TEST_F(Hdf5Files, TakeNoMoreThanTheyMay) {
  const hsize_t many = hsize_t{1} << 40;
  write({{"x", H5T_STD_U8LE, {many, many}, {}, {1 << 20, 1}},
         {"z", H5T_STD_U8LE, {1 << 16}, std::vector<double>(1 << 16, 3), {1 << 10}},
         {"w", H5T_STD_U8LE, {1 << 16}, {}, {1 << 10}}});
  EXPECT_THAT(refusal(), HasSubstr("dataset x: it takes more than 1.0 GiB of memory to read"));
  EXPECT_EQ(refusal("z", 1 << 16), "no error");
  EXPECT_THAT(refusal("w"), HasSubstr("it claims 64.0 KiB, where the file holds 0 B of it"));
  EXPECT_THAT(refusal("z", (1 << 16) - 1), HasSubstr("it takes more than 64.0 KiB of memory to read"));
  const hsize_t chunk = (hsize_t{1} << 28) + 1;
  write({{"x", H5T_STD_U8LE, {2 * chunk}, {}, {chunk}}});
  EXPECT_THAT(refusal(), HasSubstr("its chunks take more than 256.0 MiB each"));
}

TEST_F(Hdf5Files, AreReadAloneNeverWithOthers) {
  write_file_atomically(folder / "secret", "abcdef");
  write({{"x", H5T_STD_U8LE, {6}, {}, {}, (folder / "secret").string()}});
  EXPECT_THAT(refusal(), HasSubstr("its numbers lie in other files (they are not followed)"));
  write({{"x", H5T_STD_U8LE, {6}, one_to_six}});
  fs::rename(path, folder / "other.h5");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external((folder / "other.h5").c_str(), "/x", file, "x", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external((folder / "other.h5").c_str(), "/", file, "other", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/other/x", file, "by_a_way", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  const std::string refused =
      " is a link to another file (such links are refused); name that file, or copy the data into this one";
  EXPECT_EQ(refusal(), "'" + path + "': x" + refused);
  EXPECT_EQ(refusal("/other/x"), "'" + path + "': /other" + refused);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)  // a sanitized child may open files
  EXPECT_THAT(refusal("by_a_way"), HasSubstr("by_a_way is a link to nothing in this file"));
#endif
}

TEST_F(Hdf5Files, ThatAreNoneNameTheFile) {
  write_file_atomically(path, "\x89HDF\r\n\x1a\n and no more");
  EXPECT_THAT(refusal(), StartsWith("'" + path + "': the HDF5 library cannot open it ("));
  EXPECT_THAT(refusal_of([&] { read_hdf5((folder / "none.h5").string(), {}, 1); }), HasSubstr("cannot open '"));
}

/// 300 mutants of each of two files, plain and packed: read, or refused by name, within the time that files may take.
TEST_F(Hdf5Files, MutantsAreRefusedOrRead) {
  std::vector<double> values(600);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 97);
  for (const std::vector<hsize_t>& chunk : {std::vector<hsize_t>{}, std::vector<hsize_t>{10, 6}}) {
    write({{"x", H5T_IEEE_F32LE, {100, 6}, values, chunk}, {"y", H5T_STD_U8LE, {6}, one_to_six}});
    const std::string whole = read_file(path);
    std::uint64_t refused = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      write_file_atomically(path, mutated(whole, seed));
      const std::string said = refusal({}, std::uint64_t{1} << 24);
      if (said == "no error") continue;
      EXPECT_THAT(said, HasSubstr(path));
      ++refused;
    }
    EXPECT_GT(refused, 15U);
  }
}

}  // namespace
}  // namespace regatta::data
