// JSON as a plain tree that remembers where each value stands. The parser behind it (nlohmann/json)
// is seen by src/json/document.cpp alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace regatta::json {

struct Member;

/// A number that no int64 holds. `written` tells 1e15 from 1000000000000000.0, and 2^64 - 1 from 2^64.
struct Real {
  double value;
  std::string written;
};

struct Node {
  using Array = std::vector<Node>;
  using Object = std::vector<Member>;  ///< in file order, keys unique

  std::variant<std::monostate, bool, std::int64_t, Real, std::string, Array, Object> value;
  std::uint32_t line = 1;  ///< line of its first character (of a number or text: of its last, which is the same line)
  std::size_t begin = 0;   ///< bytes [begin, end) of the text; of objects and texts only
  std::size_t end = 0;

  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&value);
  }
};

struct Member {
  std::string key;
  std::uint32_t line;  ///< line of the key
  Node node;
};

inline constexpr std::size_t max_bytes = std::size_t{4} << 20;
inline constexpr std::size_t max_depth = 64;

/// Parses JSON (RFC 8259, UTF-8). Throws InputError "FILE:LINE: ..." for what is not JSON, invalid UTF-8, NUL,
/// duplicate keys, depth beyond max_depth and text beyond max_bytes.
Node parse(std::string_view text, const std::string& file);

/// The same; nothing for what is not JSON.
std::optional<Node> as_json(std::string_view text);

/// The member of this key, or null if `node` is no object or has none.
const Member* find_member(const Node& node, std::string_view key);

/// The value as JSON without white space. Real numbers that are equal are written alike.
std::string compact(const Node& node);

/// The value as it appears in an error: scalars as they stand (shortened), "a list", "an empty object".
std::string describe(const Node& node);

/// The line of the value at `pointer`, or of the deepest part of it that exists.
std::uint32_t line_of(const Node& root, std::string_view pointer);

}  // namespace regatta::json
