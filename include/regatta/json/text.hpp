// Pieces of JSON text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace regatta::json {

/// "\"eager\"": `text` as a JSON string; bytes beyond ASCII stand as they are.
std::string quote(std::string_view text);
void append_quoted(std::string& out, std::string_view text);

/// The shortest number that reads back to the same double: "0.5", "1.0", "1e+30".
std::string json_number(double value);

/// "/axes" and "a/b" -> "/axes/a~1b" (RFC 6901), safe to print: control characters escaped, long keys shortened.
std::string join_pointer(std::string_view pointer, std::string_view key);

/// `text` in an error: quoted, shortened, a line's end as "\n".
std::string show(std::string_view text);

/// At most about `limit` bytes, cut between characters and marked with "...".
std::string shorten(std::string_view text, std::size_t limit = 60);

/// The first NUL or the first byte that breaks UTF-8 (RFC 3629).
std::optional<std::size_t> find_strange_byte(std::string_view text);

}  // namespace regatta::json
