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

TEST_F(Hdf5Files, SayWhatTheyDoNotHold) {
  write({{"images", H5T_STD_U8LE, {1}, {1}}, {"labels", H5T_C_S1, {1}, {}}, {"none", H5T_STD_U8LE, {0, 3}, {}}});
  EXPECT_EQ(refusal(),
            "'" + path + "': it has no dataset x (it holds: images, labels, none); name one, as FILE.h5:/DATASET");
  EXPECT_THAT(refusal("/no/way"), HasSubstr("it has no dataset /no/way"));
  EXPECT_EQ(refusal("/labels"),
            "'" + path + "': dataset /labels: it holds no whole numbers and no floats of at most 64 bits; convert it");
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
  H5Fclose(file);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)  // a sanitized child may open files
  EXPECT_THAT(refusal(), HasSubstr("dataset x: the HDF5 library cannot open it ("));
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
