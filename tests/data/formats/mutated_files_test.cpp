// Damaged files of each format: an InputError, or arrays of which every row can be read; never anything else.
#include <gtest/gtest.h>

#include <functional>

#include "data/formats/format_files.hpp"
#include "data/formats/formats.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {
namespace {

constexpr std::uint64_t mutants = 300;
constexpr std::uint64_t mutant_cap_bytes = std::uint64_t{1} << 24;

/// Reads 300 damaged versions; some are refused.
void read_mutants(const std::string& whole, const std::function<std::vector<Array>(const FileBytes&)>& parse) {
  EXPECT_GT(parse(file_of(whole, "x")).size(), 0U);
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 0; seed < mutants; ++seed) {
    const FileBytes file = file_of(mutated(whole, seed), "x");
    const std::string refusal = refusal_of([&] {
      for (const Array& array : parse(file)) sum_of_rows(array);
    });
    if (refusal == "no error") continue;
    ++refused;
    EXPECT_NE(refusal.find('x'), std::string::npos) << refusal;
  }
  EXPECT_GT(refused, mutants / 20);
}

std::string small_npy(const std::string& type, const std::string& fortran, const std::string& data) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': (4, 3), }    \n";
  return std::string("\x93NUMPY\1\0", 8) + bytes_of(static_cast<std::uint16_t>(header.size())) + header + data;
}

TEST(Mutants, OfNpyFilesAreRefusedOrRead) {
  const auto parse = [](const FileBytes& file) { return std::vector{parse_npy(file, mutant_cap_bytes)}; };
  read_mutants(small_npy("<f4", "False", std::string(48, 'a')), parse);
  read_mutants(small_npy(">i2", "True", std::string(24, 'a')), parse);
}

TEST(Mutants, OfIdxFilesAreRefusedOrRead) {
  const auto parse = [](const FileBytes& file) { return std::vector{parse_idx(file, mutant_cap_bytes)}; };
  const std::string idx(
      "\0\0\x08\x02\0\0\0\x02\0\0\0\x03"
      "abcdef",
      18);
  read_mutants(idx, parse);
  read_mutants(gzipped(idx), parse);
}

TEST(Mutants, OfCifarFilesAreRefusedOrRead) {
  std::string bytes;
  for (char label = 0; label < 3; ++label) bytes += label + std::string(3072, 'a');
  read_mutants(bytes, [](const FileBytes& file) { return parse_cifar(file, CifarLabels::of_10); });
}

TEST(Mutants, OfCsvFilesAreRefusedOrRead) {
  const std::string text =
      "a,\"b\",kind\r\n1,2.5,x\r\n-3,,\"y, \"\"z\"\"\"\n4e2,NaN,x\n5,6,\"two\nlines\"\n7,8.25,x\n9,1e-3,y\n";
  CsvOptions options;
  options.label = "2";
  read_mutants(text, [&](const FileBytes& file) { return parse_csv(file, options, mutant_cap_bytes); });
  read_mutants(text, [](const FileBytes& file) { return parse_csv(file, {}, mutant_cap_bytes); });
}

TEST(Mutants, OfSidecarsAreRefusedOrRead) {
  const std::string text = R"({"regatta_raw": 1, "file": "x.raw", "bytes": 100, "arrays": [
    {"name": "x", "type": "uint8", "shape": [3, 2], "count": 10, "offset": 0, "stride": 7},
    {"name": "y", "type": "int32", "shape": [], "count": 5, "offset": 72, "categories": ["a", "b"]}]})";
  read_mutants(text, [](const FileBytes& file) {
    return parse_sidecar(file, [](const std::string&) { return file_of(std::string(100, 'r'), "x.raw"); });
  });
}

}  // namespace
}  // namespace regatta::data
