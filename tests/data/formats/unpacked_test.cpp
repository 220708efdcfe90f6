#include <gtest/gtest.h>

#include "data/formats/format_files.hpp"
#include "data/formats/formats.hpp"

namespace regatta::data {
namespace {

constexpr std::uint64_t much = 1 << 20;

std::string gzipped_zeros() {
  return std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) + deflated_zeros() +
         bytes_of(crc32_of(std::string(20000, '\0'))) + bytes_of(std::uint32_t{20000});
}

std::string unpacking_refusal(const std::string& bytes, std::uint64_t cap = much) {
  return refusal_of([&] { unpacked(file_of(bytes, "x.gz"), cap); });
}

TEST(Unpacked, FilesAreInMemory) {
  const FileBytes file = unpacked(file_of(gzipped("abc"), "x.gz"), much);
  EXPECT_EQ(file.bytes, "abc");
  EXPECT_EQ(file.name, "x.gz (unpacked)");
  EXPECT_EQ(unpacked(file_of(gzipped_zeros(), "x.gz"), much).bytes, std::string(20000, '\0'));
}

TEST(Unpacked, OtherFilesAreThemselves) {
  const FileBytes file = file_of("abc", "x");
  EXPECT_EQ(unpacked(file, much).owner, file.owner);
  EXPECT_EQ(unpacked(file_of("", "x"), much).bytes, "");
}

TEST(Unpacked, FilesStayBelowTheCap) {
  EXPECT_EQ(unpacking_refusal(gzipped_zeros(), 4096),
            "'x.gz' takes 4.0 KiB of memory or more to read (at most 4.0 KiB may be used); allow more memory, or use a "
            "smaller file");
}

TEST(Unpacked, FilesNameTheOffsetOfTheDamage) {
  const std::string whole = gzipped("abc");
  const auto error = [](std::size_t offset, const std::string& what) {
    return "'x.gz' is damaged at offset " + std::to_string(offset) + ": " + what + "; get the file again";
  };
  EXPECT_EQ(unpacking_refusal(whole.substr(0, 17)), error(17, "the packed data are cut short"));
  EXPECT_EQ(unpacking_refusal(whole + "xy"), error(whole.size(), "2 bytes follow the packed data"));
  std::string changed = whole;
  changed[16] = 'z';
  EXPECT_EQ(unpacking_refusal(changed), error(22, "it cannot be unpacked (incorrect data check)"));
}

TEST(Unpacked, FilesCutAnywhereAreErrors) {
  const std::string whole = gzipped_zeros();
  for (std::size_t length = 2; length < whole.size(); ++length)
    EXPECT_NE(unpacking_refusal(whole.substr(0, length)), "no error") << "cut to " << length;
}

TEST(Refusals, OfMemoryNameFileAndCap) {
  const FileBytes file = file_of("", "x");
  EXPECT_EQ(
      refusal_of([&] { shared_memory(file, 10, 9); }),
      "'x' takes 10 B of memory or more to read (at most 9 B may be used); allow more memory, or use a smaller file");
  EXPECT_NE(shared_memory(file, 0, 0), nullptr);
}

}  // namespace
}  // namespace regatta::data
