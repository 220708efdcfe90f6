#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "data/formats/format_files.hpp"
#include "regatta/base/files.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// The file's arrays, or what they are refused for.
struct Opened {
  std::vector<Array> arrays;
  std::string refusal;
};

Opened opened(const std::string& name, const std::string& bytes) {
  const fs::path path = fs::path(testing::TempDir()) / ("regatta_open_" + name);
  write_file_atomically(path, bytes);
  Opened result;
  result.refusal = refusal_of([&] { result.arrays = open_data_file(path.string(), {}); });
  fs::remove(path);
  return result;
}

const std::string three_bytes_of_idx(
    "\0\0\x08\x01\0\0\0\x03"
    "abc",
    11);

TEST(OpenDataFile, TellsFormatsByTheirFirstBytes) {
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}\n";
  const std::string npy_bytes =
      std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header + "ab";
  EXPECT_EQ(opened("npy_of_no_name", npy_bytes).arrays.at(0).count, 2);
  EXPECT_EQ(opened("idx_of_no_name", three_bytes_of_idx).arrays.at(0).count, 3);
  EXPECT_EQ(opened("idx.gz", gzipped(three_bytes_of_idx)).arrays.at(0).count, 3);
  EXPECT_THAT(opened("zip_of_no_name", "PK\3\4").refusal, HasSubstr("ZIP"));
}

TEST(OpenDataFile, TellsOthersByTheirNames) {
  EXPECT_EQ(opened("a.csv", "1,2\n3,4\n").arrays.at(0).count, 2);
  EXPECT_EQ(opened("A.CSV", "1,2\n3,4\n").arrays.at(0).count, 2);
  EXPECT_EQ(opened("a.csv.gz", gzipped("1,2\n3,4\n")).arrays.at(0).count, 2);
  EXPECT_THAT(values_of<float>(opened("a.tsv", "1\t2\n3\t4\n").arrays.at(0)), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(opened("iris.data", "1,red\n2,blue\n").arrays.at(0).count, 2);
  EXPECT_EQ(opened("a.bin", std::string(3073, '\1')).arrays.size(), 2U);
  EXPECT_EQ(opened("b.bin", std::string(3074, '\1')).arrays.size(), 3U);
  EXPECT_THAT(opened("c.bin", std::string(3075, '\1')).refusal, HasSubstr("no multiple of 3074"));
  EXPECT_THAT(opened("d.bin", std::string("\0\0\x08\x01", 4) + std::string(3069, '\1')).arrays.at(0).shape,
              ElementsAre(3, 32, 32));
  EXPECT_THAT(opened("a.npy", "abc").refusal, HasSubstr("does not start as an NPY file does"));
  EXPECT_THAT(opened("t10k-labels-idx1-ubyte", "abcd").refusal, HasSubstr("found magic 0x61626364"));
  EXPECT_THAT(opened("a.json", "{}").refusal, HasSubstr("/regatta_raw: found nothing"));
}

TEST(OpenDataFile, NamesWhatIsKnown) {
  const std::string refusal = opened("a.parquet", "PAR1").refusal;
  EXPECT_THAT(refusal,
              HasSubstr("a.parquet' is no data file that is read: known are NPY (.npy, or its first bytes), NPZ (.npz, "
                        "or its first bytes), raw arrays by their sidecar (.json, or its first bytes), CIFAR (.bin), "
                        "IDX (-ubyte, .idx, or its first bytes), tables with tabs (.tsv), tables (.csv, .data, .txt), "
                        "HDF5 (its first bytes) and pictures in the folders of their classes. Each file but HDF5 may "
                        "be gzipped. Convert it, with NumPy for example"));
  EXPECT_THAT(opened("nothing", "").refusal, HasSubstr("is no data file that is read"));
  EXPECT_THAT(refusal_of([] { open_data_file("/nonexistent/x.npy", {}); }),
              HasSubstr("cannot open '/nonexistent/x.npy'"));
  EXPECT_THAT(refusal_of([] { open_data_file("/nonexistent/x.raw", {}); }),
              HasSubstr("cannot open '/nonexistent/x.json'"));
}

TEST(OpenDataFile, HandsItsOptionsOn) {
  const fs::path path = fs::path(testing::TempDir()) / "regatta_open_options.csv";
  write_file_atomically(path, "1;2\n3;4\n");
  OpenOptions options;
  options.csv.delimiter = ';';
  options.csv.label = "0";
  EXPECT_THAT(values_of<std::int32_t>(open_data_file(path.string(), options).at(1)), ElementsAre(1, 3));
  options.memory_cap_bytes = 10;
  EXPECT_THAT(refusal_of([&] { open_data_file(path.string(), options); }), HasSubstr("at most 10 B may be used"));
  fs::remove(path);
}

}  // namespace
}  // namespace regatta::data
