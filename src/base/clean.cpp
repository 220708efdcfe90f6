#include "regatta/base/clean.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace regatta {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  ///< 0: not valid UTF-8
};

/// The code point at the start of `text`, which is not empty.
CodePoint decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  std::uint32_t value = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return {};
    value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < smallest[bytes] || value > 0x10ffff || surrogate) return {};
  return {value, bytes};
}

bool is_printable(std::uint32_t value) {
  const bool control = value < 0x20 || (value >= 0x7f && value < 0xa0);
  const bool direction = (value >= 0x202a && value <= 0x202e) || (value >= 0x2066 && value <= 0x2069) ||
                         value == 0x200e || value == 0x200f || value == 0x61c;
  const bool line = value == 0x2028 || value == 0x2029 || value == 0xfffe || value == 0xffff;
  return !control && !direction && !line;
}

}  // namespace

std::string clean(std::string_view text, Lines lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char first = text[0];
    const CodePoint point = decode(text);
    if (first == '\n' || first == '\t' || first == '\r') {
      if (lines == Lines::joined)
        out += ' ';
      else if (first != '\r')
        out += first;
    } else if (point.bytes == 0 || !is_printable(point.value)) {
      out += "\ufffd";
    } else {
      out += text.substr(0, point.bytes);
    }
    text.remove_prefix(point.bytes == 0 ? 1 : point.bytes);
  }
  return out;
}

std::string escaped_json(std::string json) {
  const auto is_plain = [](char c) { return static_cast<unsigned char>(c) < 0x7f; };
  if (std::ranges::all_of(json, is_plain)) return json;
  std::string out;
  for (std::string_view text = json; !text.empty();) {
    const CodePoint point = decode(text);
    const std::size_t bytes = std::max<std::size_t>(point.bytes, 1);
    const bool is_shown = is_plain(text[0]) || point.bytes == 0 || is_printable(point.value);
    out += is_shown ? std::string(text.substr(0, bytes)) : fmt::format("\\u{:04x}", point.value);
    text.remove_prefix(bytes);
  }
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = decode(text);
    if (point.bytes == 0) return false;
    text.remove_prefix(point.bytes);
  }
  return true;
}

}  // namespace regatta
