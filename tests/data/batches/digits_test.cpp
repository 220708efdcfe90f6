#include "regatta/data/digits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "data/batches/manifest.hpp"
#include "data/formats/format_files.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "support/places.hpp"

namespace regatta::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path source_folder = fs::path(support::source_folder()) / "datasets" / "digits";
const fs::path built_folder = fs::path(support::binary_folder()) / "share" / "regatta" / "datasets" / "digits";

TEST(Digits, AreTheTestSetOfTheSource) {
  const Digits digits = read_digits(source_folder);
  EXPECT_EQ(digits.images.count, 1797);
  EXPECT_THAT(digits.images.shape, ElementsAre(8, 8));
  EXPECT_EQ(digits.labels.count, 1797);
  std::array<int, digits_classes> counts{};
  for (const std::uint8_t label : values_of<std::uint8_t>(digits.labels)) ++counts.at(label);
  EXPECT_THAT(counts, ElementsAre(178, 182, 177, 183, 181, 182, 181, 179, 174, 180));
  const std::vector<std::uint8_t> pixels = values_of<std::uint8_t>(digits.images);
  const auto [low, high] = std::minmax_element(pixels.begin(), pixels.end());
  EXPECT_EQ(*low, 0);
  EXPECT_EQ(*high, digits_largest_value);
}

TEST(Digits, BeginWithAZeroWhoseFirstRowIsKnown) {
  const Digits digits = read_digits(source_folder);
  EXPECT_EQ(values_of<std::uint8_t>(digits.labels).front(), 0);
  const std::vector<std::uint8_t> pixels = values_of<std::uint8_t>(digits.images);
  EXPECT_THAT(std::vector(pixels.begin(), pixels.begin() + 8), ElementsAre(0, 0, 5, 13, 9, 1, 0, 0));
}

TEST(Digits, LieBesideTheProgramsInTheBuildTree) {
  EXPECT_EQ(values_of<std::uint8_t>(read_digits(built_folder).images),
            values_of<std::uint8_t>(read_digits(source_folder).images));
}

/// A copy of the dataset that a test may damage.
class DamagedDigits : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("regatta_digits_") + test->name());
    fs::remove_all(folder_);
    fs::copy(source_folder, folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void replace(const std::string& file, const std::string& bytes) const {
    std::ofstream(folder_ / file, std::ios::binary) << bytes;
  }

  [[nodiscard]] std::string error() const {
    try {
      read_digits(folder_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

TEST_F(DamagedDigits, WithOnePixelChangedNameTheFile) {
  std::string bytes = read_file(folder() / "images-idx3-ubyte");
  bytes[1000] = static_cast<char>(bytes[1000] ^ 1);
  replace("images-idx3-ubyte", bytes);
  EXPECT_THAT(error(), HasSubstr("'" + (folder() / "images-idx3-ubyte").string() + "' is damaged: its SHA-256 is "));
}

TEST_F(DamagedDigits, WithOneLabelLessNameTheFileAndWhatIsMissing) {
  std::string bytes = read_file(folder() / "labels-idx1-ubyte");
  bytes.pop_back();
  replace("labels-idx1-ubyte", bytes);
  EXPECT_EQ(error(), "'" + (folder() / "labels-idx1-ubyte").string() +
                         "' is cut short: it has 1804 bytes of the 1805 that the manifest names; restore the file");
}

TEST_F(DamagedDigits, WithoutAFileNameTheFile) {
  fs::remove(folder() / "labels-idx1-ubyte");
  EXPECT_THAT(error(), HasSubstr("cannot open '" + (folder() / "labels-idx1-ubyte").string() + "'"));
}

TEST_F(DamagedDigits, WithAManifestThatListsNoDigestNameTheManifest) {
  const std::string expected = "'" + (folder() / "manifest.json").string() +
                               "' has no SHA-256 for images-idx3-ubyte (its files cannot be "
                               "checked); restore the manifest";
  const std::string no_digest = R"({"images-idx3-ubyte": {"sha256": ")" + std::string(64, 'g') + "\"}}";
  for (const std::string manifest :
       {"", "{}", R"({"images-idx3-ubyte": {}})", R"({"images-idx3-ubyte": {"sha256": "12)",
        R"({"images-idx3-ubyte": {"sha256": 12}})", no_digest.c_str()}) {
    replace("manifest.json", manifest);
    EXPECT_EQ(error(), expected) << manifest;
  }
}

}  // namespace
}  // namespace regatta::data
