#include "model/safetensors_header.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::model {
namespace {

/// The header that is read from a file of this JSON and so many bytes of data.
SafetensorsHeader header_of(std::string json, std::size_t data_bytes) {
  const support::TemporaryFolder folder;
  std::string bytes(safetensors_length_bytes, '\0');
  bytes[0] = static_cast<char>(json.size());
  bytes += json + std::string(data_bytes, '\0');
  write_file_atomically(folder / "x.safetensors", bytes);
  const UniqueFd fd = open_regular_file(folder / "x.safetensors");
  return read_safetensors_header(fd, bytes.size());
}

constexpr const char* half = R"({"a": {"dtype": "F16", "shape": [2, 1], "data_offsets": [0, 4]}})";

TEST(SafetensorsHeader, NamesTensorsOfAnyType) {
  const SafetensorsHeader header = header_of(half, 4);
  ASSERT_EQ(header.entries.size(), 1U);
  EXPECT_EQ(header.entries[0].name, "a");
  EXPECT_EQ(header.entries[0].dtype, "F16");
  EXPECT_EQ(header.entries[0].shape, (Shape{2, 1}));
  EXPECT_EQ(header.entries[0].end, 4U);
  EXPECT_EQ(header.data_offset, 8 + std::string(half).size());
  EXPECT_TRUE(header.about.empty());
}

TEST(SafetensorsHeader, HoldsTextsAboutTheFile) {
  const SafetensorsHeader header = header_of(R"({"__metadata__": {"state": "{}", "n": 1}})", 0);
  EXPECT_EQ(header.about, (std::map<std::string, std::string>{{"state", "{}"}}));
}

TEST(SafetensorsHeader, OfADamagedFileIsRefused) {
  EXPECT_THROW(header_of(half, 3), InputError) << "the data are cut short";
  for (const char* json : {"", "[]", "{", R"({"a": 1})", R"({"a": {"dtype": "F32", "data_offsets": [0, 0]}})",
                           R"({"a": {"dtype": "F32", "shape": [], "data_offsets": [4, 0]}})", R"({"__metadata__": 1})"})
    EXPECT_THROW(header_of(json, 4), InputError) << json;
}

}  // namespace
}  // namespace regatta::model
