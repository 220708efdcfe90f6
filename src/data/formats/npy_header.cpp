#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "data/formats/formats.hpp"
#include "regatta/base/error.hpp"
#include "regatta/json/text.hpp"

namespace regatta::data {

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
constexpr std::size_t max_header_bytes = std::size_t{1} << 16;

/// The start of a text that may hold anything, safe to be shown.
std::string show_start(std::string_view text) {
  std::string start;
  for (const char c : text.substr(0, 24)) start += c >= ' ' && c <= '~' ? c : '?';
  return json::show(start);
}

/// The literals of Python that NumPy writes.
class Literals {
 public:
  Literals(const FileBytes& file, std::size_t begin, std::size_t end) : file_(file), at_(begin), end_(end) {}

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string_view rest = file_.bytes.substr(at_, end_ - at_);
    refuse_damaged(file_, at_, fmt::format("found {} in the header, expected {}", show_start(rest), expected));
  }

  bool take(char wanted) {
    skip_spaces();
    if (at_ == end_ || file_.bytes[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void need(char wanted) {
    if (!take(wanted)) fail(fmt::format("'{}'", wanted));
  }
  bool take_word(std::string_view word) {
    skip_spaces();
    if (!file_.bytes.substr(at_, end_ - at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  bool is_at_end() {
    skip_spaces();
    return at_ == end_;
  }

  std::string_view text() {
    skip_spaces();
    const char quote = at_ == end_ ? '\0' : file_.bytes[at_];
    if (quote != '\'' && quote != '"') fail("a text in quotes");
    const std::size_t close = file_.bytes.substr(0, end_).find(quote, at_ + 1);
    if (close == std::string_view::npos) fail("a text that ends");
    const std::string_view found = file_.bytes.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    return found;
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> numbers;
    need('(');
    while (!take(')')) {
      numbers.push_back(number());
      if (take(',')) continue;
      need(')');
      break;
    }
    return numbers;
  }

 private:
  void skip_spaces() {
    while (at_ != end_ && (file_.bytes[at_] == ' ' || file_.bytes[at_] == '\n')) ++at_;
  }

  std::int64_t number() {
    skip_spaces();
    std::int64_t value = 0;
    const char* const first = file_.bytes.data() + at_;
    const auto [last, error] = std::from_chars(first, file_.bytes.data() + end_, value);
    if (error != std::errc() || value < 0) fail("a size from 0 to 2^63 - 1");
    at_ += static_cast<std::size_t>(last - first);
    take_word("L");  // Python 2 wrote 3L
    return value;
  }

  const FileBytes& file_;
  std::size_t at_;
  std::size_t end_;
};

struct Kind {
  std::string_view code;  ///< without the byte order
  Stored stored;
};
constexpr std::array<Kind, 12> kinds = {{{"b1", Stored::uint8},
                                         {"u1", Stored::uint8},
                                         {"i1", Stored::int8},
                                         {"u2", Stored::uint16},
                                         {"i2", Stored::int16},
                                         {"u4", Stored::uint32},
                                         {"i4", Stored::int32},
                                         {"u8", Stored::uint64},
                                         {"i8", Stored::int64},
                                         {"f2", Stored::float16},
                                         {"f4", Stored::float32},
                                         {"f8", Stored::float64}}};

[[noreturn]] void refuse_kind(const FileBytes& file, const std::string& what) {
  throw InputError(
      fmt::format("'{}' holds {}; save it as numbers (uint8, int32, int64, float32, float64)", file.name, what));
}

/// Reads the meaning of a type such as "<f4".
void read_kind(const FileBytes& file, std::string_view text, Layout& layout) {
  const char order = text.empty() ? '\0' : text.front();
  const std::string_view code = text.substr(text.empty() ? 0 : 1);
  if (code.starts_with('O'))
    refuse_kind(file, "Python objects (unpickling them could run any program, so it is not done)");
  if (code.starts_with('S') || code.starts_with('U') || code.starts_with('a')) refuse_kind(file, "texts");
  if (code.starts_with('c')) refuse_kind(file, "complex numbers");
  if (code.starts_with('V')) refuse_kind(file, "structured records");
  for (const Kind& kind : kinds) {
    const bool orderless = order == '|' && size_of(kind.stored) == 1;
    if (code != kind.code || !(order == '<' || order == '>' || orderless)) continue;
    layout.stored = kind.stored;
    layout.is_big_endian = order == '>';
    return;
  }
  refuse_kind(file, fmt::format("numbers of the type {}, which is not read", show_start(text)));
}

/// Where the header's text lies: [first, second).
std::pair<std::size_t, std::size_t> header_range(const FileBytes& file) {
  const std::string_view bytes = file.bytes;
  if (!bytes.starts_with(npy_magic) || bytes.size() < npy_magic.size() + 2)
    refuse_damaged(file, 0, "it does not start as an NPY file does (\\x93NUMPY and a version)");
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])); };
  const std::size_t version = byte(npy_magic.size());
  if (version < 1 || version > 3)
    refuse_damaged(file, npy_magic.size(), fmt::format("found version {}, expected 1, 2 or 3", version));
  const std::size_t length_at = npy_magic.size() + 2;
  const std::size_t begin = length_at + (version == 1 ? 2 : 4);
  if (bytes.size() < begin) refuse_damaged(file, bytes.size(), "the header's length is cut short");
  std::size_t length = 0;
  for (std::size_t at = begin; at-- > length_at;) length = length << 8 | byte(at);
  if (length > bytes.size() - begin || length > max_header_bytes) {
    refuse_damaged(file, length_at,
                   fmt::format("the header claims {} bytes, but {} follow (and at most {} are read)", length,
                               bytes.size() - begin, max_header_bytes));
  }
  return {begin, begin + length};
}

/// One entry of the dictionary.
void read_entry(const FileBytes& file, Literals& literals, Layout& layout, std::string& seen) {
  const std::string_view key = literals.text();
  literals.need(':');
  if (key == "descr") {
    if (literals.take('[')) refuse_kind(file, "structured records");
    read_kind(file, literals.text(), layout);
    seen += 'd';
  } else if (key == "fortran_order") {
    layout.first_axis_is_fastest = literals.take_word("True");
    if (!layout.first_axis_is_fastest && !literals.take_word("False")) literals.fail("True or False");
    seen += 'f';
  } else if (key == "shape") {
    layout.axes = literals.tuple();
    seen += 's';
  } else {
    literals.fail("after the key 'descr', 'fortran_order' or 'shape'");
  }
}

}  // namespace

Layout npy_layout(const FileBytes& file) {
  const auto [begin, end] = header_range(file);
  Literals literals(file, begin, end);
  Layout layout{
      .stored = Stored::uint8, .is_big_endian = false, .first_axis_is_fastest = false, .axes = {}, .offset = end};
  std::string seen;  // the first letters of the keys
  literals.need('{');
  while (!literals.take('}')) {
    read_entry(file, literals, layout, seen);
    if (literals.take(',')) continue;
    literals.need('}');
    break;
  }
  if (!literals.is_at_end()) literals.fail("nothing after '}'");
  std::sort(seen.begin(), seen.end());
  if (seen != "dfs") refuse_damaged(file, begin, "the header needs each of 'descr', 'fortran_order' and 'shape' once");
  return layout;
}

}  // namespace regatta::data
