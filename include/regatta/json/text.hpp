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

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Between the tokens of JSON.
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Whether `word` is a number as JSON writes it.
bool is_number(std::string_view word);

/// " (32 without quotes)" for a number, true or false that stands in quotes; else nothing.
std::string without_quotes(std::string_view text);

/// The first NUL or the first byte that breaks UTF-8 (RFC 3629).
std::optional<std::size_t> find_strange_byte(std::string_view text);

}  // namespace regatta::json
