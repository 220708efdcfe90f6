#include "regatta/data/shipped.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "data/batches/batches.hpp"
#include "data/formats/format_files.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path source_folder = fs::path(support::source_folder()) / "datasets" / "digits";
const fs::path built_folder = fs::path(support::binary_folder()) / "share" / "regatta" / "datasets";
constexpr std::size_t digits_classes = 10;
constexpr int digits_largest_value = 16;

ShippedArrays read_digits(const fs::path& folder) {
  return read_shipped(folder, *model::find_shipped_dataset("digits"));
}

/// How often each class is there.
std::vector<int> class_counts(const Array& labels, std::int64_t classes) {
  std::vector<int> counts(static_cast<std::size_t>(classes));
  for (const std::uint8_t label : values_of<std::uint8_t>(labels)) ++counts.at(label);
  return counts;
}

TEST(Digits, AreTheTestSetOfTheSource) {
  const ShippedArrays digits = read_digits(source_folder);
  EXPECT_EQ(digits.samples.count, 1797);
  EXPECT_THAT(digits.samples.shape, ElementsAre(8, 8));
  EXPECT_EQ(digits.labels.count, 1797);
  EXPECT_THAT(class_counts(digits.labels, digits_classes),
              ElementsAre(178, 182, 177, 183, 181, 182, 181, 179, 174, 180));
  const std::vector<std::uint8_t> pixels = values_of<std::uint8_t>(digits.samples);
  const auto [low, high] = std::minmax_element(pixels.begin(), pixels.end());
  EXPECT_EQ(*low, 0);
  EXPECT_EQ(*high, digits_largest_value);
}

TEST(Digits, BeginWithAZeroWhoseFirstRowIsKnown) {
  const ShippedArrays digits = read_digits(source_folder);
  EXPECT_EQ(values_of<std::uint8_t>(digits.labels).front(), 0);
  const std::vector<std::uint8_t> pixels = values_of<std::uint8_t>(digits.samples);
  EXPECT_THAT(std::vector(pixels.begin(), pixels.begin() + 8), ElementsAre(0, 0, 5, 13, 9, 1, 0, 0));
}

TEST(Digits, LieBesideTheProgramsInTheBuildTree) {
  EXPECT_EQ(values_of<std::uint8_t>(read_digits(built_folder / "digits").samples),
            values_of<std::uint8_t>(read_digits(source_folder).samples));
}

TEST(JapaneseVowels, AreTheSeriesOfTheSource) {
  const model::ShippedDataset& dataset = *model::find_shipped_dataset("japanese-vowels");
  const ShippedArrays vowels = read_shipped(built_folder / "japanese-vowels", dataset);
  EXPECT_EQ(vowels.samples.type, ElementType::float32);
  EXPECT_EQ(vowels.samples.count, 270 + 370);
  EXPECT_THAT(vowels.samples.shape, ElementsAre(29, 12));
  EXPECT_THAT(class_counts(vowels.labels, 9), ElementsAre(61, 65, 118, 74, 59, 54, 70, 80, 59));
  const std::vector<float> values = values_of<float>(vowels.samples);
  EXPECT_THAT(std::vector(values.begin(), values.begin() + 2), ElementsAre(1.860936F, -0.207383F));
  EXPECT_EQ(values[19 * 12], 1.261441F);  // its last position
  EXPECT_EQ(values[20 * 12], 0.0F);       // filled up
}

/// A copy of the dataset that a test may damage.
class DamagedDigits : public testing::Test {
 protected:
  void SetUp() override { fs::copy(source_folder, folder_.path()); }

  void replace(const std::string& file, const std::string& bytes) const {
    std::ofstream(folder_ / file, std::ios::binary) << bytes;
  }

  [[nodiscard]] std::string error() const {
    try {
      read_digits(folder_.path());
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  [[nodiscard]] const fs::path& folder() const { return folder_.path(); }

 private:
  support::TemporaryFolder folder_;
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
