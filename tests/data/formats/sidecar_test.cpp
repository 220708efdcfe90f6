#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/formats/format_files.hpp"
#include "data/formats/formats.hpp"

namespace regatta::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string raw_bytes = "0123456789abcdef";

std::vector<Array> read_sidecar(const std::string& text) {
  return parse_sidecar(file_of(text, "x.json"), [](const std::string&) { return file_of(raw_bytes, "x.raw"); });
}

/// A sidecar of one array with these fields besides its name.
std::string sidecar_of(const std::string& fields) {
  return R"({"regatta_raw": 1, "file": "x.raw", "arrays": [{"name": "x", )" + fields + "}]}";
}

std::string sidecar_refusal(const std::string& text) {
  return refusal_of([&] { read_sidecar(text); });
}

TEST(Sidecar, SaysWhereAnArrayLies) {
  const Array x =
      read_sidecar(sidecar_of(R"("type": "uint8", "shape": [2, 1], "count": 3, "offset": 4, "stride": 5)")).at(0);
  EXPECT_EQ(x.name, "x");
  EXPECT_THAT(x.shape, ElementsAre(2, 1));
  EXPECT_THAT(values_of<char>(x), ElementsAre('4', '5', '9', 'a', 'e', 'f'));
}

TEST(Sidecar, MayLeaveOutWhatIsUsual) {
  const Array x = read_sidecar(sidecar_of(R"("type": "int32", "shape": [], "count": 4, "offset": 0)")).at(0);
  EXPECT_EQ(x.stride_bytes, 4U);
  EXPECT_TRUE(x.shape.empty());
  EXPECT_EQ(values_of<std::int32_t>(x).front(), 0x33323130);
  EXPECT_EQ(read_sidecar(sidecar_of(R"("type": "int32", "shape": [9], "count": 0, "offset": 16)")).at(0).count, 0);
}

TEST(Sidecar, NamesCategoriesAndColumns) {
  const Array x = read_sidecar(sidecar_of(R"("type": "float32", "shape": [2], "count": 2, "offset": 0,
    "categories": ["a", "b"],
    "columns": [{"name": "", "missing": 1}, {"name": "kind", "categories": ["c"]}])"))
                      .at(0);
  EXPECT_THAT(x.categories, ElementsAre("a", "b"));
  ASSERT_EQ(x.columns.size(), 2U);
  EXPECT_EQ(x.columns[0].missing, 1);
  EXPECT_EQ(x.columns[1].name, "kind");
  EXPECT_THAT(x.columns[1].categories, ElementsAre("c"));
}

TEST(Sidecar, IsReadAgainAsItIsWritten) {
  std::vector<Array> arrays =
      read_sidecar(sidecar_of(R"("type": "uint8", "shape": [2], "count": 3, "offset": 4, "categories": ["\"a\"\n"])"));
  const std::string text = sidecar_text("x.raw", raw_bytes.size(), arrays, {4});
  EXPECT_EQ(
      text,
      R"({"regatta_raw": 1, "file": "x.raw", "bytes": 16, "arrays": [{"name": "x", "type": "uint8", "shape": [2], )"
      R"("count": 3, "offset": 4, "categories": ["\"a\"\u000a"]}]})"
      "\n");
  EXPECT_EQ(read_sidecar(text).at(0).categories, arrays.at(0).categories);
}

TEST(Sidecar, OfAnArrayOutsideTheFileIsRefused) {
  EXPECT_EQ(
      sidecar_refusal(sidecar_of(R"("type": "uint8", "shape": [4], "count": 5, "offset": 0)")),
      "x.json:1: /arrays/0/count: found 5, expected at most 4 rows (\"x.raw\" has 16 bytes, rows begin at 0 and lie "
      "4 apart)");
  EXPECT_EQ(sidecar_refusal(sidecar_of(R"("type": "uint8", "shape": [4], "count": 1, "offset": 13)")),
            "x.json:1: /arrays/0/offset: found 13, expected an offset from 0 to 12 (\"x.raw\" has 16 bytes, a row 4)");
  EXPECT_EQ(sidecar_refusal(sidecar_of(R"("type": "int64", "shape": [3], "count": 1, "offset": 0)")),
            "x.json:1: /arrays/0/shape/0: found 3, expected a size of at least 1 (and rows of at most 16 bytes)");
  EXPECT_EQ(sidecar_refusal(sidecar_of(R"("type": "uint8", "shape": [4], "count": 2, "offset": 0, "stride": 3)")),
            "x.json:1: /arrays/0/stride: found 3, expected a distance of at least the 4 bytes of a row");
}

TEST(Sidecar, IsNotFooledByNumbersThatOverflow) {
  const std::string largest = "9223372036854775807";
  EXPECT_THAT(
      sidecar_refusal(sidecar_of(R"("type": "int64", "shape": [4294967296, 4294967296], "count": 1, "offset": 0)")),
      HasSubstr("/shape/0: found 4294967296"));
  EXPECT_THAT(sidecar_refusal(sidecar_of(R"("type": "uint8", "shape": [1], "offset": 0, "count": )" + largest)),
              HasSubstr("/count: found " + largest + ", expected at most 16 rows"));
  EXPECT_THAT(
      sidecar_refusal(sidecar_of(R"("type": "uint8", "shape": [1], "offset": 1, "count": 2, "stride": )" + largest)),
      HasSubstr("/count: found 2, expected at most 1 rows"));
  EXPECT_THAT(
      sidecar_refusal(sidecar_of(R"("type": "uint8", "shape": [1], "offset": 18446744073709551615, "count": 1)")),
      HasSubstr("/offset: found 18446744073709551615"));
  EXPECT_THAT(sidecar_refusal(sidecar_of(R"("type": "uint8", "shape": [-1], "offset": 0, "count": 1)")),
              HasSubstr("/shape/0: found -1"));
}

TEST(Sidecar, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(sidecar_refusal(sidecar_of(R"("type": "uint16", "shape": [1], "count": 1, "offset": 0)")),
            "x.json:1: /arrays/0/type: found \"uint16\", expected \"uint8\", \"int32\", \"int64\", \"float32\" or "
            "\"float64\"; did you mean \"uint8\"?");
  EXPECT_EQ(sidecar_refusal(R"({"regatta_raw": 2, "file": "x.raw", "arrays": []})"),
            "x.json:1: /regatta_raw: found 2, expected 1, the only version");
  EXPECT_EQ(sidecar_refusal(R"({"regatta_raw": 1, "file": "x.raw", "arrays": []})"),
            "x.json:1: /arrays: found an empty list, expected a list of arrays");
  EXPECT_EQ(sidecar_refusal(R"({"regatta_raw": 1, "file": "x.raw", "bytes": 17, "arrays": []})"),
            "x.json:1: /bytes: found 17, expected 16 (\"x.raw\" has 16 bytes; if it is cut short, get it again)");
  const std::string array = R"({"name": "x", "type": "uint8", "shape": [], "count": 1, "offset": 0})";
  EXPECT_EQ(sidecar_refusal(R"({"regatta_raw": 1, "file": "x.raw", "arrays": [)" + array + ", " + array + "]}"),
            "x.json:1: /arrays/1/name: found \"x\", expected names that differ from one another");
  EXPECT_THAT(sidecar_refusal(
                  sidecar_of(R"("type": "uint8", "shape": [2], "count": 1, "offset": 0, "columns": [{"name": "a"}])")),
              HasSubstr("/columns: found a list, expected a list of columns, one for each element of a row"));
}

TEST(Sidecar, LeadsToNoOtherFolder) {
  for (const char* const name : {"../x.raw", "/etc/passwd", "a/b", "..", "."}) {
    EXPECT_EQ(sidecar_refusal(std::string(R"({"regatta_raw": 1, "file": ")") + name + R"(", "arrays": []})"),
              std::string("x.json:1: /file: found \"") + name + "\", expected the name of a file in the same folder");
  }
}

}  // namespace
}  // namespace regatta::data
