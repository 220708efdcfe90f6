#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <string>

#include "data/formats/formats.hpp"
#include "regatta/base/error.hpp"

namespace regatta::data {

namespace {

constexpr int gzip_only = 16;                                  // added to the window's bits: no other header is taken
constexpr std::size_t gzip_step_bytes = std::size_t{1} << 30;  // zlib counts in 32 bits
constexpr std::size_t gzip_first_bytes = std::size_t{1} << 16;

struct EndInflate {
  void operator()(z_stream* stream) const { ::inflateEnd(stream); }
};

void feed(z_stream& stream, std::string_view rest) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
  stream.avail_in = static_cast<uInt>(std::min(rest.size(), gzip_step_bytes));
}

}  // namespace

FileBytes unpacked(const FileBytes& file, std::uint64_t memory_cap_bytes) {
  if (!file.bytes.starts_with("\x1f\x8b")) return file;
  z_stream stream{};
  expect(::inflateInit2(&stream, MAX_WBITS + gzip_only) == Z_OK, "zlib has memory to begin");
  const std::unique_ptr<z_stream, EndInflate> guard(&stream);
  const auto out = std::make_shared<std::string>();
  std::size_t made = 0;
  std::string_view rest = file.bytes;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    if (made == out->size()) {
      check_memory(file, made + 1, memory_cap_bytes);
      out->resize(std::min<std::uint64_t>(std::max(2 * made, gzip_first_bytes), memory_cap_bytes));
    }
    feed(stream, rest);
    stream.next_out = reinterpret_cast<Bytef*>(out->data()) + made;
    stream.avail_out = static_cast<uInt>(std::min(out->size() - made, gzip_step_bytes));
    const std::size_t offered = stream.avail_in;
    const std::size_t room = stream.avail_out;
    state = ::inflate(&stream, Z_NO_FLUSH);
    rest.remove_prefix(offered - stream.avail_in);
    made += room - stream.avail_out;
    const std::size_t at = file.bytes.size() - rest.size();
    if (state == Z_BUF_ERROR) refuse_damaged(file, at, "the packed data are cut short");
    if (state != Z_OK && state != Z_STREAM_END) {
      refuse_damaged(file, at, fmt::format("it cannot be unpacked ({})", stream.msg != nullptr ? stream.msg : "zlib"));
    }
  }
  if (!rest.empty()) {
    refuse_damaged(file, file.bytes.size() - rest.size(), fmt::format("{} bytes follow the packed data", rest.size()));
  }
  out->resize(made);
  return {file.name + " (unpacked)", *out, out};
}

}  // namespace regatta::data
