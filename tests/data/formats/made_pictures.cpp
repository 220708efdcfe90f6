#include "data/formats/made_pictures.hpp"

#include <cstdio>  // jpeglib.h wants it
#include <cstdlib>

#ifdef REGATTA_WITH_LIBJPEG
#include <jpeglib.h>
#endif
#ifdef REGATTA_WITH_LIBPNG
#include <png.h>
#endif

namespace regatta::data {

std::string pixels_of(const PictureShape& shape) {
  std::string pixels;
  for (std::uint64_t i = 0; i < shape.bytes(); ++i) pixels += static_cast<char>(i * 7 + 1);
  return pixels;
}

#ifdef REGATTA_WITH_LIBPNG

bool can_write_png() { return true; }

std::string png_of(const PictureShape& shape) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.height = static_cast<png_uint_32>(shape.height);
  image.width = static_cast<png_uint_32>(shape.width);
  constexpr png_uint_32 formats[] = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB, PNG_FORMAT_RGBA};
  image.format = formats[shape.channels - 1];
  const std::string pixels = pixels_of(shape);
  png_alloc_size_t size = 0;
  ::png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data(), 0, nullptr);
  std::string bytes(size, '\0');
  ::png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr);
  return bytes;
}

#else

bool can_write_png() { return false; }
std::string png_of(const PictureShape&) { return {}; }

#endif

#ifdef REGATTA_WITH_LIBJPEG

bool can_write_jpeg() { return true; }

std::string jpeg_of(const PictureShape& shape, bool is_progressive) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = ::jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* to = nullptr;
  unsigned long size = 0;
  ::jpeg_mem_dest(&info, &to, &size);
  info.image_height = static_cast<JDIMENSION>(shape.height);
  info.image_width = static_cast<JDIMENSION>(shape.width);
  info.input_components = static_cast<int>(shape.channels);
  info.in_color_space = shape.channels == 1 ? JCS_GRAYSCALE : shape.channels == 3 ? JCS_RGB : JCS_CMYK;
  ::jpeg_set_defaults(&info);
  ::jpeg_set_quality(&info, 100, TRUE);
  if (is_progressive) ::jpeg_simple_progression(&info);
  ::jpeg_start_compress(&info, TRUE);
  std::string pixels = pixels_of(shape);
  while (info.next_scanline < info.image_height) {
    auto* row = reinterpret_cast<JSAMPROW>(pixels.data() + info.next_scanline * shape.width * shape.channels);
    ::jpeg_write_scanlines(&info, &row, 1);
  }
  ::jpeg_finish_compress(&info);
  std::string bytes(reinterpret_cast<const char*>(to), size);
  ::jpeg_destroy_compress(&info);
  std::free(to);
  return bytes;
}

#else

bool can_write_jpeg() { return false; }
std::string jpeg_of(const PictureShape&, bool) { return {}; }

#endif

}  // namespace regatta::data
