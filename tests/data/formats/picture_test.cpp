#include "data/formats/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "data/formats/format_files.hpp"
#include "data/formats/made_pictures.hpp"
#include "regatta/base/error.hpp"

namespace regatta::data {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Read {
  PictureShape shape{};
  std::string pixels;
};

constexpr std::uint64_t cap_bytes = std::uint64_t{1} << 20;

Read read(const FileBytes& file) {
  Read read;
  read_picture(file, [&](const PictureShape& shape) {
    if (shape.bytes() > cap_bytes) throw InputError("'" + file.name + "' is too large");
    read.shape = shape;
    read.pixels.assign(shape.bytes(), '\0');
    return reinterpret_cast<std::byte*>(read.pixels.data());
  });
  return read;
}

std::string refusal(const std::string& bytes) {
  return refusal_of([&] { read(file_of(bytes, "a/b.png")); });
}

/// Every mutant is a picture, or refused by name; how many are refused.
std::uint64_t refused_mutants(const std::string& whole) {
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string said = refusal(mutated(whole, seed));
    if (said == "no error") continue;
    EXPECT_THAT(said, StartsWith("'a/b.png' "));
    ++refused;
  }
  return refused;
}

TEST(Pictures, OfOtherFormatsAreRefused) {
  EXPECT_THAT(refusal("GIF89a"), StartsWith("'a/b.png' is neither a JPEG nor a PNG picture"));
  EXPECT_THAT(refusal(""), HasSubstr("neither a JPEG nor a PNG"));
}

class Png : public testing::Test {
  void SetUp() override {
    if (!can_write_png()) GTEST_SKIP() << "built without libpng";
  }
};

TEST_F(Png, GivesItsPixelsBack) {
  for (const std::int64_t channels : {1, 3}) {
    const PictureShape shape{5, 4, channels};
    const Read back = read(file_of(png_of(shape), "x"));
    EXPECT_EQ(back.shape, shape);
    EXPECT_EQ(back.pixels, pixels_of(shape));
  }
}

TEST_F(Png, LeavesTransparencyOut) {
  EXPECT_EQ(read(file_of(png_of({5, 4, 4}), "x")).shape, (PictureShape{5, 4, 3}));
  EXPECT_EQ(read(file_of(png_of({5, 4, 2}), "x")).shape, (PictureShape{5, 4, 1}));
}

TEST_F(Png, CutShortSaysWhere) {
  const std::string whole = png_of({5, 4, 3});
  const std::string said = refusal(whole.substr(0, whole.size() - 20));
  EXPECT_THAT(said, StartsWith("'a/b.png' is damaged at offset "));
  EXPECT_THAT(said, HasSubstr(": the file is cut short; get the file again"));
}

TEST_F(Png, MutantsAreRefusedOrRead) {
  EXPECT_GT(refused_mutants(png_of({16, 16, 3})), 100U);
  EXPECT_GT(refused_mutants(png_of({16, 16, 1})), 100U);
}

/// With other sides in its head, and the checksum of that.
std::string png_that_claims(std::uint8_t height, std::uint8_t width) {
  const std::string honest = png_of({5, 4, 3});
  std::string head = honest.substr(12, 17);  // IHDR: width, height, and what pixels are
  head[6] = static_cast<char>(width);        // times 256
  head[10] = static_cast<char>(height);
  std::string checksum = bytes_of(crc32_of(head));
  std::reverse(checksum.begin(), checksum.end());
  return honest.substr(0, 12) + head + checksum + honest.substr(33);
}

TEST_F(Png, ThatClaimsMoreThanItHolds) {
  EXPECT_THAT(refusal(png_that_claims(0xff, 0xff)), HasSubstr("is too large"));
  EXPECT_THAT(refusal(png_that_claims(1, 1)), HasSubstr("'a/b.png' is damaged at offset "));
}

class Jpeg : public testing::Test {
  void SetUp() override {
    if (!can_write_jpeg()) GTEST_SKIP() << "built without libjpeg";
  }
};

TEST_F(Jpeg, GivesItsPixelsBackNearly) {
  const PictureShape grey{16, 8, 1};
  for (const bool is_progressive : {false, true}) {
    const Read back = read(file_of(jpeg_of(grey, is_progressive), "x"));
    EXPECT_EQ(back.shape, grey);
    const std::string wanted = pixels_of(grey);
    ASSERT_EQ(back.pixels.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const int difference = static_cast<unsigned char>(wanted[i]) - static_cast<unsigned char>(back.pixels[i]);
      EXPECT_LE(std::abs(difference), 3) << i;
    }
  }
  PictureShape of_colours{};
  std::string pixels(16 * 8 * 3, '\0');
  read_jpeg(file_of(jpeg_of({16, 8, 3}), "x"), [&](const PictureShape& shape) {
    of_colours = shape;
    return reinterpret_cast<std::byte*>(pixels.data());
  });
  EXPECT_EQ(of_colours, (PictureShape{16, 8, 3}));
}

TEST_F(Jpeg, OfFourColoursIsRefused) {
  EXPECT_EQ(refusal(jpeg_of({8, 8, 4})),
            "'a/b.png' has 4 colour components (grey and RGB pictures are read); convert it");
}

TEST_F(Jpeg, CutShortIsNotFilledUpWithGrey) {
  const std::string whole = jpeg_of({64, 64, 3});
  EXPECT_THAT(refusal(whole.substr(0, whole.size() / 2)), HasSubstr("is damaged at offset"));
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 2)), HasSubstr("Premature end of JPEG file"));
}

/// A picture whose header says that it is larger.
std::string jpeg_that_claims(std::uint16_t height, std::uint16_t width) {
  std::string bytes = jpeg_of({8, 8, 3}, true);
  const std::size_t head = bytes.find("\xff\xc2");  // begins the frame of a progressive picture
  const std::size_t sizes = head + 5;
  const std::size_t two = 2;
  for (const auto& [at, size] : {std::pair(sizes, height), std::pair(sizes + two, width)}) {
    bytes.at(at) = static_cast<char>(size >> 8);
    bytes.at(at + 1) = static_cast<char>(size & 0xff);
  }
  return bytes;
}

TEST_F(Jpeg, OfManyPixelsIsTooLargeWhereTheDecoderHoldsAllOfIt) {
  const auto refused = [](std::uint16_t height, std::uint16_t width) {
    std::byte nothing{};
    return refusal_of([&] {
      read_jpeg(file_of(jpeg_that_claims(height, width), "x"), [&](const PictureShape&) { return &nothing; });
    });
  };
  EXPECT_EQ(
      refused(14000, 12000),
      "'x' is too large: it is progressive, and its 12000 x 14000 pixels take more than the limit of 256.0 MiB to "
      "decode. Save it smaller, as a baseline JPEG or as a PNG");
  EXPECT_THAT(refusal(jpeg_that_claims(8, 64)), HasSubstr("is damaged at offset"));
}

TEST_F(Jpeg, MutantsAreRefusedOrRead) {
  EXPECT_GT(refused_mutants(jpeg_of({16, 16, 3})), 30U);
  EXPECT_GT(refused_mutants(jpeg_of({16, 16, 3}, true)), 30U);
}

}  // namespace
}  // namespace regatta::data
