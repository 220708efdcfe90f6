// libjpeg is seen by this file alone; without it a JPEG picture is refused.
#include <fmt/format.h>

#include "data/formats/picture.hpp"
#include "regatta/base/error.hpp"

#ifdef REGATTA_WITH_LIBJPEG
#include <jerror.h>
#include <jpeglib.h>

#include <csetjmp>
#include <cstdio>  // jpeglib.h wants it

#include "data/formats/formats.hpp"
#include "regatta/base/units.hpp"

namespace regatta::data {

namespace {

constexpr int most_scans = 500;                     // a progressive picture has about ten; each costs a pass over all
constexpr long decoder_bytes = 256L * 1024 * 1024;  // coefficients of a progressive picture are kept

/// libjpeg ends an error by a jump: nothing between setjmp and the jump may own anything.
struct JpegDecoder {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf jump{};
  char message[JMSG_LENGTH_MAX] = {};
  bool is_made = false;

  JpegDecoder() = default;
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;
  ~JpegDecoder() {
    if (is_made) ::jpeg_destroy_decompress(&info);
  }
};

JpegDecoder& decoder_of(j_common_ptr info) { return *static_cast<JpegDecoder*>(info->client_data); }

[[noreturn]] void end_decoding(j_common_ptr info) {
  info->err->format_message(info, decoder_of(info).message);
  std::longjmp(decoder_of(info).jump, 1);
}

/// Damage is a warning to libjpeg, which fills in grey.
void end_at_warning(j_common_ptr info, int level) {
  if (level < 0) end_decoding(info);
}

void end_after_many_scans(j_common_ptr info) {
  JpegDecoder& decoder = decoder_of(info);
  if (decoder.info.input_scan_number <= most_scans) return;
  std::snprintf(decoder.message, sizeof decoder.message, "more than %d scans", most_scans);
  std::longjmp(decoder.jump, 1);
}

/// False: `message` says why.
bool read_head(JpegDecoder& decoder, std::string_view bytes) {
  decoder.info.err = ::jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = end_decoding;
  decoder.errors.emit_message = end_at_warning;
  decoder.info.client_data = &decoder;
  if (setjmp(decoder.jump) != 0) return false;
  decoder.is_made = true;
  jpeg_create_decompress(&decoder.info);
  decoder.info.mem->max_memory_to_use = decoder_bytes;
  decoder.progress.progress_monitor = end_after_many_scans;
  decoder.info.progress = &decoder.progress;
  ::jpeg_mem_src(&decoder.info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  ::jpeg_read_header(&decoder.info, TRUE);
  return true;
}

bool read_rows(JpegDecoder& decoder, std::byte* to, std::size_t row_bytes) {
  if (setjmp(decoder.jump) != 0) return false;
  ::jpeg_start_decompress(&decoder.info);
  while (decoder.info.output_scanline < decoder.info.output_height) {
    auto* row = reinterpret_cast<JSAMPROW>(to + decoder.info.output_scanline * row_bytes);
    ::jpeg_read_scanlines(&decoder.info, &row, 1);
  }
  ::jpeg_finish_decompress(&decoder.info);
  return true;
}

std::size_t offset_of(const JpegDecoder& decoder, const FileBytes& file) {
  return decoder.info.src == nullptr ? 0 : file.bytes.size() - decoder.info.src->bytes_in_buffer;
}

/// A whole picture whose coefficients take more than the decoder may hold; a damaged one otherwise.
[[noreturn]] void refuse_rows(const JpegDecoder& decoder, const FileBytes& file) {
  const int code = decoder.errors.msg_code;
  if (code != JERR_NO_BACKING_STORE && code != JERR_OUT_OF_MEMORY)
    refuse_damaged(file, offset_of(decoder, file), decoder.message);
  const jpeg_decompress_struct& info = decoder.info;
  throw InputError(fmt::format(
      "'{}' is too large: it is progressive, and its {} x {} pixels take more than the limit of {} to decode. Save it "
      "smaller, as a baseline JPEG or as a PNG",
      file.name, info.image_width, info.image_height, format_size(static_cast<std::uint64_t>(decoder_bytes))));
}

}  // namespace

void read_jpeg(const FileBytes& file, const PicturePlace& place) {
  JpegDecoder decoder;
  if (!read_head(decoder, file.bytes)) refuse_damaged(file, offset_of(decoder, file), decoder.message);
  jpeg_decompress_struct& info = decoder.info;
  if (info.num_components != 1 && info.num_components != 3) {
    throw InputError(fmt::format("'{}' has {} colour components (grey and RGB pictures are read); convert it",
                                 file.name, info.num_components));
  }
  info.out_color_space = info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  const PictureShape shape{info.image_height, info.image_width, info.num_components};
  if (!read_rows(decoder, place(shape), static_cast<std::size_t>(shape.width * shape.channels)))
    refuse_rows(decoder, file);
}

}  // namespace regatta::data

#else

namespace regatta::data {

void read_jpeg(const FileBytes& file, const PicturePlace&) {
  throw InputError(
      fmt::format("'{}' is a JPEG picture, which this build cannot read: it was built without libjpeg. Install "
                  "libjpeg62-turbo-dev and build again, or save the pictures as PNG",
                  file.name));
}

}  // namespace regatta::data

#endif
