#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "data/formats/format_files.hpp"
#include "data/formats/made_pictures.hpp"
#include "regatta/base/files.hpp"
#include "regatta/data/formats.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ImageFolder : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_write_png()) GTEST_SKIP() << "built without libpng";
  }

  void write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((folder / name).parent_path());
    write_file_atomically(folder / name, bytes);
  }
  std::string refusal(std::uint64_t cap = default_memory_cap_bytes) const {
    return refusal_of([&] { read_image_folder(folder.path().string(), cap); });
  }

  support::TemporaryFolder folder;
};

TEST_F(ImageFolder, IsOneClassForEachSubfolder) {
  for (const char* name : {"cat/1.png", "cat/2.png", "ant/1.png", "ant/2", "ant/.hidden"})
    write(name, png_of({4, 6, 3}));
  const std::vector<Array> arrays = open_data_file(folder.path().string(), {});
  EXPECT_THAT(arrays[0].shape, ElementsAre(4, 6, 3));
  EXPECT_EQ(arrays[0].count, 4);
  EXPECT_THAT(arrays[1].categories, ElementsAre("ant", "cat"));
  EXPECT_THAT(values_of<std::int32_t>(arrays[1]), testing::UnorderedElementsAre(0, 0, 1, 1));
  const std::string picture = pixels_of({4, 6, 3});
  for (int row = 0; row < 4; ++row)
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(arrays[0].first) + row * 72, 72), picture);
}

TEST_F(ImageFolder, HasEveryClassAmongItsLastRows) {
  for (int i = 0; i < 60; ++i) write((i < 30 ? "a/" : "b/") + std::to_string(i) + ".png", png_of({1, 1, 1}));
  const std::vector<Array> arrays = open_data_file(folder.path().string(), {});
  const std::vector<std::int32_t> labels = values_of<std::int32_t>(arrays[1]);
  const auto of_b = std::count(labels.end() - 12, labels.end(), 1);
  EXPECT_GT(of_b, 2);
  EXPECT_LT(of_b, 10);
}

TEST_F(ImageFolder, NamesThePictureThatIsNone) {
  write("a/1.png", png_of({4, 6, 3}));
  write("a/2.txt", "notes");
  EXPECT_THAT(refusal(), HasSubstr((folder / "a/2.txt").string() + "' is neither a JPEG nor a PNG picture"));
  write("a/2.txt", png_of({4, 5, 3}));
  EXPECT_THAT(refusal(), HasSubstr("pixels of 3 channels (samples are equally large); make all alike"));
  write("a/2.txt", png_of({4, 6, 3}).substr(0, 60));
  EXPECT_THAT(refusal(), HasSubstr((folder / "a/2.txt").string() + "' is damaged at offset "));
}

TEST_F(ImageFolder, NamesWhatIsNoFolderOfAClass) {
  EXPECT_THAT(refusal(), HasSubstr("holds no pictures"));
  write("1.png", png_of({4, 6, 3}));
  EXPECT_THAT(refusal(), HasSubstr("1.png' lies beside the folders of the classes"));
  EXPECT_THAT(refusal_of([&] { read_image_folder((folder / "none").string()); }), HasSubstr("cannot list '"));
}

TEST_F(ImageFolder, TakesNoMoreMemoryThanItMay) {
  write("a/1.png", png_of({4, 6, 3}));
  write("a/2.png", png_of({4, 6, 3}));
  EXPECT_EQ(refusal(144), "no error");
  EXPECT_THAT(refusal(143), HasSubstr("takes 144 B of memory or more to read (at most 143 B may be used)"));
}

TEST(ImageFolderOfAnyBuild, SaysWhereAPngIsDamagedOrWhichLibraryIsMissing) {
  const std::string refused = refusal_of([] { read_png(file_of("\x89PNG\r\n\x1a\n", "x"), {}); });
  EXPECT_THAT(refused, HasSubstr(can_write_png() ? "x" : "install libpng-dev"));
  EXPECT_EQ(refused.find("libpng-dev") == std::string::npos, can_write_png()) << refused;
}

}  // namespace
}  // namespace regatta::data
