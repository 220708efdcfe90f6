#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/formats/format_files.hpp"
#include "data/formats/zip_files.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string npy_of_bytes(const std::string& bytes, std::size_t count) {
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }\n";
  return std::string("\x93NUMPY\1\0", 8) + bytes_of(static_cast<std::uint16_t>(header.size())) + header + bytes;
}

std::string npz_refusal(const std::string& bytes, std::uint64_t cap = default_memory_cap_bytes) {
  return refusal_of([&] { parse_npz(file_of(bytes, "x.npz"), cap); });
}

#ifdef REGATTA_WITH_LIBZIP

TEST(Npz, HoldsNamedArrays) {
  const std::string bytes =
      zipped({stored_member("x_train.npy", npy_of_bytes("\1\2", 2)), stored_member("y.npy", npy_of_bytes("\3", 1))});
  const std::vector<Array> arrays = parse_npz(file_of(bytes, "x.npz"));
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[0].name, "x_train");
  EXPECT_THAT(values_of<std::uint8_t>(arrays[0]), ElementsAre(1, 2));
  EXPECT_EQ(arrays[1].name, "y");
  EXPECT_THAT(values_of<std::uint8_t>(arrays[1]), ElementsAre(3));
}

/// 20000 bytes in 36, named `name`; they say that they are `bytes`.
ZipMember deflated_member(const std::string& name, std::uint32_t bytes) {
  return {name, deflated_zeros(), 8, crc32_of(std::string(20000, '\0')), bytes};
}

TEST(Npz, InflatesWhatIsDeflated) {
  EXPECT_EQ(
      npz_refusal(zipped({deflated_member("a.npy", 20000)})),
      "'x.npz:a.npy' is damaged at offset 0: it does not start as an NPY file does (\\x93NUMPY and a version); get "
      "the file again");
}

TEST(Npz, RefusesABombBeforeItIsInflated) {
  EXPECT_EQ(
      npz_refusal(zipped({deflated_member("a.npy", 4'000'000'000)}), 4096),
      "'x.npz' takes 3.7 GiB of memory or more to read (at most 4.0 KiB may be used); allow more memory, or use a "
      "smaller file");
  const std::string lie = zipped({deflated_member("a.npy", 100)});  // a hundred bytes, it says
  EXPECT_THAT(npz_refusal(lie, 4096), HasSubstr("'x.npz' is damaged: "));
  const std::string array = npy_of_bytes(std::string(1000, '\0'), 1000);
  EXPECT_EQ(npz_refusal(zipped({stored_member("a.npy", array)}), 1500), "no error");
  const std::string two = zipped({stored_member("a.npy", array), stored_member("b.npy", array)});
  EXPECT_THAT(npz_refusal(two, 1500), HasSubstr("may be used"));  // together
}

TEST(Npz, OfOtherMembersOrNoneIsRefused) {
  EXPECT_EQ(npz_refusal(zipped({stored_member("a.txt", "abc")})),
            "'x.npz' holds \"a.txt\" (members are NAME.npy, as numpy.savez writes them); take it out");
  EXPECT_THAT(npz_refusal(zipped({stored_member(".npy", "abc")})), HasSubstr("holds \".npy\" (members are"));
  EXPECT_EQ(npz_refusal(zipped({})), "'x.npz' has 0 members (1 to 4096 are read); save arrays with numpy.savez");
  const ZipMember member = stored_member("a.npy", npy_of_bytes("\1", 1));
  EXPECT_EQ(npz_refusal(zipped({member, member})), "'x.npz' is damaged: it holds \"a\" twice; get the file again");
}

TEST(Npz, NamesTheMemberThatIsDamaged) {
  ZipMember member = stored_member("a.npy", npy_of_bytes("\1", 1));
  member.crc32 ^= 1;
  EXPECT_EQ(npz_refusal(zipped({member})),
            "'x.npz' is damaged: \"a.npy\" cannot be unpacked (CRC error); get the file again");
  EXPECT_THAT(npz_refusal("PK\3\4"), HasSubstr("'x.npz' is damaged: it is no ZIP archive that can be read ("));
}

TEST(Npz, DamagedInManyWaysIsAnErrorOrCanBeRead) {
  const std::string whole = zipped({stored_member("a.npy", npy_of_bytes("12345", 5)), deflated_member("b.npy", 20000),
                                    stored_member("c.npy", npy_of_bytes("123", 3))});
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const FileBytes file = file_of(mutated(whole, seed), "x.npz");
    refusal_of([&] {
      for (const Array& array : parse_npz(file, 1 << 20)) sum_of_rows(array);
    });
  }
}

#else

TEST(Npz, NeedsLibzip) {
  EXPECT_EQ(
      npz_refusal(zipped({stored_member("a.npy", npy_of_bytes("\1", 1))})),
      "'x.npz' is a ZIP archive, which this build cannot read: it was built without libzip. Install libzip-dev and "
      "build again, or save each array with numpy.save");
}

#endif

}  // namespace
}  // namespace regatta::data
