#include "protocol/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "regatta/base/error.hpp"

namespace regatta::protocol {
namespace {

constexpr int max_depth = 64;
constexpr int max_keys = 16384;  // ordered objects are searched key by key

// Counts nesting and keys before anything is built from the text.
void check_extent(std::string_view text) {
  int depth = 0;
  int keys = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == ':') ++keys;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > max_depth) throw PeerLost(fmt::format("a header is nested more than {} deep", max_depth));
    if (keys > max_keys) throw PeerLost(fmt::format("a header has more than {} keys", max_keys));
  }
}

}  // namespace

Json parse_object(std::string_view text) {
  check_extent(text);
  Json value = Json::parse(text, nullptr, false);
  if (!value.is_object()) throw PeerLost(fmt::format("a header is not a JSON object: '{}'", excerpt(text)));
  return value;
}

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string out(text.substr(0, longest));
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return std::isprint(c) == 0; }, '?');
  if (text.size() > longest) out += "...";
  return out;
}

}  // namespace regatta::protocol
