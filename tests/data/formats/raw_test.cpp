#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "data/arrays.hpp"
#include "data/formats/format_files.hpp"
#include "regatta/base/files.hpp"
#include "regatta/data/formats.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class RawFiles : public testing::Test {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }

 private:
  support::TemporaryFolder folder_;
};

void expect_equal(const Array& found, const Array& expected) {
  EXPECT_EQ(found.name, expected.name);
  EXPECT_EQ(found.type, expected.type);
  EXPECT_EQ(found.shape, expected.shape);
  EXPECT_EQ(found.count, expected.count);
  EXPECT_EQ(found.categories, expected.categories);
  EXPECT_EQ(values_of<std::uint8_t>(found), values_of<std::uint8_t>(expected));
  ASSERT_EQ(found.columns.size(), expected.columns.size());
  for (std::size_t i = 0; i < found.columns.size(); ++i) {
    EXPECT_EQ(found.columns[i].name, expected.columns[i].name);
    EXPECT_EQ(found.columns[i].missing, expected.columns[i].missing);
    EXPECT_EQ(found.columns[i].categories, expected.columns[i].categories);
  }
}

TEST_F(RawFiles, AreForThoseWhomTheUmaskLets) {
  const mode_t umask_before = ::umask(0027);
  write_raw(at("x"), {array_of<std::int32_t>("x", ElementType::int32, {}, {1, 2})});
  ::umask(umask_before);
  for (const char* name : {"x.raw", "x.json"}) EXPECT_EQ(fs::status(at(name)).permissions(), fs::perms(0640)) << name;
}

TEST_F(RawFiles, AreNotReadThroughALinkToAnotherFolder) {
  fs::create_directory(at("own"));
  fs::create_directory(at("other"));
  write_raw(at("other/x"), {array_of<std::int32_t>("x", ElementType::int32, {}, {1, 2})});
  fs::copy_file(at("other/x.json"), at("own/x.json"));
  fs::create_symlink(at("other/x.raw"), at("own/x.raw"));
  try {
    open_data_file(at("own/x.json"), {});
    FAIL() << "a file of another folder was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a link that leads to another folder"));
  }
  fs::create_symlink("x.raw", at("other/y.raw"));  // in the same folder
  fs::remove(at("own/x.json"));
  fs::create_symlink(at("other/x.json"), at("own/x.json"));  // the sidecar with its file
  EXPECT_EQ(open_data_file(at("own/x.json"), {}).size(), 1U);
  fs::create_directory_symlink(at("other"), at("linked"));
  EXPECT_EQ(open_data_file(at("linked/x.json"), {}).size(), 1U);
}

TEST_F(RawFiles, ReadAgainAreEqual) {
  std::vector<Array> arrays = parse_csv(file_of("a,b,kind\n1,red,x\n,blue,\"y, \"\"z\"\"\"\n3,red,x\n", "x.csv"),
                                        {.delimiter = {}, .has_header = {}, .label = "kind"});
  const std::string record = "\x07" + std::string(3072, 'a');
  for (Array& array : parse_cifar(file_of(record + record, "x.bin"), CifarLabels::of_10)) {
    array.name += "_cifar";
    arrays.push_back(array);
  }
  arrays.push_back(array_of<double>("no rows", ElementType::float64, {3}, {}));
  const std::string text = write_raw(at("packed"), arrays);
  EXPECT_EQ(text, read_file(at("packed.json")));
  for (const char* const name : {"packed.json", "packed.raw"}) {
    const std::vector<Array> again = open_data_file(at(name), {});
    ASSERT_EQ(again.size(), arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) expect_equal(again[i], arrays[i]);
  }
}

TEST_F(RawFiles, BeginEachArrayOnAPage) {
  write_raw(at("x"), {array_of<std::int32_t>("x", ElementType::int32, {}, {1, 2}),
                      array_of<std::int32_t>("y", ElementType::int32, {}, {3, 4})});
  EXPECT_EQ(read_file(at("x.raw")).size(), 4096U + 8U);
  EXPECT_THAT(read_file(at("x.json")), HasSubstr("\"offset\": 4096"));
  EXPECT_THAT(values_of<std::int32_t>(parse_raw(map_file(at("x.json"))).at(1)), ElementsAre(3, 4));
}

TEST_F(RawFiles, OfRowsThatLieApartAreWrittenInPieces) {
  const std::size_t rows = 3000;
  Array array = array_of<std::uint8_t>("x", ElementType::uint8, {1000}, std::vector<std::uint8_t>(rows * 1000));
  array.shape = {999};
  write_raw(at("x"), {array});
  EXPECT_EQ(fs::file_size(at("x.raw")), rows * 999);
}

TEST_F(RawFiles, ReplaceTheOnesBefore) {
  write_raw(at("x"), {array_of<std::int32_t>("x", ElementType::int32, {}, {1, 2})});
  write_raw(at("x"), {array_of<std::int32_t>("x", ElementType::int32, {}, {3})});
  EXPECT_THAT(values_of<std::int32_t>(open_data_file(at("x.json"), {}).at(0)), ElementsAre(3));
}

TEST_F(RawFiles, CutShortAreRefused) {
  write_raw(at("x"), {array_of<std::int32_t>("x", ElementType::int32, {}, {1, 2})});
  fs::resize_file(at("x.raw"), 7);
  EXPECT_EQ(refusal_of([&] { open_data_file(at("x.json"), {}); }),
            at("x.json") + ":1: /bytes: found 8, expected 7 (\"" + at("x.raw") +
                "\" has 7 bytes; if it is cut short, get it again)");
}

TEST_F(RawFiles, OfNamesThatCannotBeReadAgainAreNotWritten) {
  Array array = array_of<std::int32_t>("x", ElementType::int32, {}, {1});
  array.categories.assign(100, std::string(100'000, 'c'));
  EXPECT_THAT(refusal_of([&] { write_raw(at("x"), {array}); }), HasSubstr("x.json: found 1000"));
  EXPECT_FALSE(fs::exists(at("x.raw")));
}

}  // namespace
}  // namespace regatta::data
