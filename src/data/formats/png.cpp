// libpng is seen by this file alone; without it a PNG picture is refused.
#include <fmt/format.h>

#include "data/formats/picture.hpp"
#include "regatta/base/error.hpp"

#ifdef REGATTA_WITH_LIBPNG
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <vector>

#include "data/formats/formats.hpp"

namespace regatta::data {

namespace {

constexpr std::size_t most_chunk_bytes = std::size_t{8} << 20;  // for what stands beside the pixels
constexpr png_uint_32 most_chunks = 1000;
constexpr png_uint_32 longest_side = 65'535;
constexpr std::size_t message_bytes = 200;

/// libpng ends an error by a jump: nothing between setjmp and the jump may own anything.
struct PngDecoder {
  std::string_view bytes;
  std::size_t at = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;
  char message[message_bytes] = {};

  explicit PngDecoder(std::string_view all) : bytes(all) {}
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;
  ~PngDecoder() { ::png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void end_decoding(png_structp png, png_const_charp why) {
  auto* const decoder = static_cast<PngDecoder*>(::png_get_error_ptr(png));
  std::strncpy(decoder->message, why, message_bytes - 1);
  png_longjmp(png, 1);
}

/// Chunks that do not touch the pixels.
void ignore_warning(png_structp, png_const_charp) {}

void give_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto* const decoder = static_cast<PngDecoder*>(::png_get_io_ptr(png));
  if (count > decoder->bytes.size() - decoder->at) ::png_error(png, "the file is cut short");
  std::memcpy(to, decoder->bytes.data() + decoder->at, count);
  decoder->at += count;
}

/// False: `message` says why.
bool read_head(PngDecoder& decoder) {
  decoder.png = ::png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, end_decoding, ignore_warning);
  if (decoder.png == nullptr) return false;
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  decoder.info = ::png_create_info_struct(decoder.png);
  ::png_set_user_limits(decoder.png, longest_side, longest_side);
  ::png_set_chunk_malloc_max(decoder.png, most_chunk_bytes);
  ::png_set_chunk_cache_max(decoder.png, most_chunks);
  ::png_set_read_fn(decoder.png, &decoder, give_bytes);
  ::png_read_info(decoder.png, decoder.info);
  ::png_set_expand(decoder.png);  // palettes to RGB, few bits to 8
  ::png_set_scale_16(decoder.png);
  ::png_set_strip_alpha(decoder.png);
  ::png_set_interlace_handling(decoder.png);
  ::png_read_update_info(decoder.png, decoder.info);
  return true;
}

bool read_rows(PngDecoder& decoder, png_bytepp rows) {
  if (setjmp(png_jmpbuf(decoder.png)) != 0) return false;
  ::png_read_image(decoder.png, rows);
  ::png_read_end(decoder.png, nullptr);
  return true;
}

}  // namespace

void read_png(const FileBytes& file, const PicturePlace& place) {
  PngDecoder decoder(file.bytes);
  if (!read_head(decoder)) refuse_damaged(file, decoder.at, decoder.message);
  const PictureShape shape{::png_get_image_height(decoder.png, decoder.info),
                           ::png_get_image_width(decoder.png, decoder.info),
                           ::png_get_channels(decoder.png, decoder.info)};
  const std::size_t row_bytes = ::png_get_rowbytes(decoder.png, decoder.info);
  expect(row_bytes * static_cast<std::size_t>(shape.height) == shape.bytes(), "a pixel has a byte for each channel");
  auto* const first = reinterpret_cast<png_bytep>(place(shape));
  std::vector<png_bytep> rows;
  for (std::int64_t row = 0; row < shape.height; ++row)
    rows.push_back(first + static_cast<std::size_t>(row) * row_bytes);
  if (!read_rows(decoder, rows.data())) refuse_damaged(file, decoder.at, decoder.message);
}

}  // namespace regatta::data

#else

namespace regatta::data {

void read_png(const FileBytes& file, const PicturePlace&) {
  throw InputError(fmt::format(
      "'{}' is a PNG picture, which this build cannot read: it was built without libpng; install libpng-dev "
      "and build again, or save the pictures as JPEG",
      file.name));
}

}  // namespace regatta::data

#endif
