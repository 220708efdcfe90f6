#include "regatta/json/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "json/mistake.hpp"
#include "regatta/base/error.hpp"
#include "regatta/json/text.hpp"

namespace regatta::json {
namespace {

using Parser = nlohmann::json;

constexpr int number_overflow = 406;  // the id of nlohmann's exception

/// How far the parser has read.
struct Progress {
  std::size_t bytes = 0;
  std::uint32_t line = 1;
  bool at_newline = false;  ///< the last byte read was one; it is a number's terminator or white space
};

/// Feeds the parser one byte at a time and counts lines: its SAX events carry no positions.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Progress* progress) : at_(at), progress_(progress) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    progress_->at_newline = *at_ == '\n';
    if (progress_->at_newline) ++progress_->line;
    ++progress_->bytes;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Progress* progress_;
};

/// The first key that an object holds twice, if any.
void refuse_duplicate_keys(const Node::Object& members, const std::string& pointer, const std::string& file) {
  std::vector<const json::Member*> sorted(members.size());
  std::transform(members.begin(), members.end(), sorted.begin(), [](const json::Member& member) { return &member; });
  std::stable_sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->key < b->key; });
  const auto twice =
      std::adjacent_find(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->key == b->key; });
  if (twice == sorted.end()) return;
  const json::Member& second = **std::next(twice);
  throw InputError(fmt::format("{}:{}: {}: found the key {} a second time (first on line {}), expected each key once",
                               file, second.line, join_pointer(pointer, second.key), show(second.key), (*twice)->line));
}

/// Where the text begins whose closing quote stands at `close`: inside, every quote has an odd number of backslashes
/// before it.
std::size_t opening_quote(std::string_view text, std::size_t close) {
  for (std::size_t at = close; at-- > 0;) {
    if (text[at] != '"') continue;
    std::size_t backslashes = 0;
    while (backslashes < at && text[at - 1 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return at;
  }
  return close;
}

/// Builds the tree from the parser's events.
class TreeBuilder : public nlohmann::json_sax<Parser> {
 public:
  TreeBuilder(std::string_view text, const Progress& progress, const std::string& file)
      : text_(text), progress_(progress), file_(file) {}

  bool null() override { return place({}); }
  bool boolean(bool value) override { return place(value); }
  bool number_integer(number_integer_t value) override { return place(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (std::in_range<std::int64_t>(value)) return place(static_cast<std::int64_t>(value));
    return place(Real{static_cast<double>(value), std::to_string(value)});
  }
  bool number_float(number_float_t value, const string_t& written) override {
    if (value == 0 && written.substr(0, written.find_first_of("eE")).find_first_of("123456789") != std::string::npos)
      throw InputError(fmt::format("{}:{}: found {}, a number that no double holds, expected 0 or at least 4.9e-324",
                                   file_, line(), shorten(written)));
    return place(Real{value, written});
  }
  bool string(string_t& value) override {
    refuse_nul(value);
    Node node;
    node.value = std::move(value);
    node.line = line();
    node.end = progress_.bytes;
    node.begin = opening_quote(text_, node.end - 1);
    return attach(std::move(node));
  }
  bool binary(binary_t&) override { return false; }
  bool key(string_t& value) override {
    refuse_nul(value);
    open_.back().keys.push_back({value, progress_.line});
    return true;
  }
  bool start_object(std::size_t) override { return open(Node::Object{}); }
  bool start_array(std::size_t) override { return open(Node::Array{}); }
  bool end_array() override { return close(); }
  bool end_object() override {
    refuse_duplicate_keys(std::get<Node::Object>(open_.back().node.value), pointer_to_open(), file_);
    return close();
  }
  bool parse_error(std::size_t, const std::string&, const Parser::exception& error) override {
    std::string text = error.what();  // "[json.exception...] parse error at line 1, column 5: syntax error ..."
    const auto column = text.find(", column ");
    const auto from = column == std::string::npos ? text.find("] ") : text.find(": ", column);
    if (from != std::string::npos) text.erase(0, from + 2);
    if (text.ends_with("expected end of input"))
      throw InputError(fmt::format("{}:{}: found more text after the end of the document, expected one JSON document",
                                   file_, line()));
    if (error.id == number_overflow)
      throw InputError(
          fmt::format("{}:{}: found a number that no double holds, expected one of at most 1.8e308", file_, line()));
    if (const auto mistake = find_mistake(text_, max_depth))
      throw InputError(
          fmt::format("{}:{}: found {}, expected {}", file_, mistake->line, mistake->found, mistake->expected));
    throw InputError(
        fmt::format("{}:{}: found text that is not JSON ({}), expected JSON", file_, line(), shorten(text, 200)));
  }

  Node take() { return std::move(root_); }

 private:
  struct Open {
    Node node;
    std::vector<std::pair<std::string, std::uint32_t>> keys;  ///< the key whose value comes next, or none
  };

  /// A number ends only when the byte after it was read, which may be the end of its line.
  [[nodiscard]] std::uint32_t line() const { return progress_.line - (progress_.at_newline ? 1 : 0); }

  bool place(decltype(Node::value) value) {
    Node node;
    node.value = std::move(value);
    node.line = line();
    return attach(std::move(node));
  }

  bool attach(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (auto* array = std::get_if<Node::Array>(&open_.back().node.value)) {
      array->push_back(std::move(node));
    } else {
      auto& [key, key_line] = open_.back().keys.back();
      std::get<Node::Object>(open_.back().node.value).push_back({std::move(key), key_line, std::move(node)});
      open_.back().keys.clear();
    }
    return true;
  }

  bool open(decltype(Node::value) container) {
    if (open_.size() == max_depth) {
      throw InputError(fmt::format("{}:{}: found lists or objects nested deeper than {}, expected at most {}", file_,
                                   progress_.line, max_depth, max_depth));
    }
    Open opened;
    opened.node.value = std::move(container);
    opened.node.line = progress_.line;
    opened.node.begin = progress_.bytes - 1;
    open_.push_back(std::move(opened));
    return true;
  }

  bool close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    node.end = progress_.bytes;
    return attach(std::move(node));
  }

  [[nodiscard]] std::string pointer_to_open() const {
    std::string pointer;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      const auto* array = std::get_if<Node::Array>(&open_[i].node.value);
      pointer = join_pointer(pointer, array != nullptr ? std::to_string(array->size()) : open_[i].keys.back().first);
    }
    return pointer;
  }

  void refuse_nul(const std::string& text) const {
    if (text.find('\0') == std::string::npos) return;
    throw InputError(
        fmt::format("{}:{}: found a NUL character in a text, expected printable text", file_, progress_.line));
  }

  std::string_view text_;
  const Progress& progress_;
  const std::string& file_;
  std::vector<Open> open_;
  Node root_;
};

/// NUL would end the parser's input unseen, and its message about broken UTF-8 repeats the broken bytes.
void refuse_strange_bytes(std::string_view text, const std::string& file) {
  if (text.size() > max_bytes) {
    throw InputError(fmt::format("{}: found {} bytes, expected at most {}", file, text.size(), max_bytes));
  }
  const std::optional<std::size_t> bad = find_strange_byte(text);
  if (!bad) return;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*bad), '\n');
  if (text[*bad] == '\0') throw InputError(fmt::format("{}:{}: found a NUL byte, expected JSON", file, line));
  throw InputError(fmt::format("{}:{}: found the byte 0x{:02x} that is not UTF-8, expected JSON in UTF-8", file, line,
                               static_cast<unsigned char>(text[*bad])));
}

}  // namespace

Node parse(std::string_view text, const std::string& file) {
  refuse_strange_bytes(text, file);
  Progress progress;
  TreeBuilder builder(text, progress, file);
  const CountingIterator first(text.data(), &progress);
  const CountingIterator last(text.data() + text.size(), &progress);
  expect(Parser::sax_parse(first, last, &builder), "the JSON parser stops only by an exception");
  return builder.take();
}

const json::Member* find_member(const Node& node, std::string_view key) {
  const auto* members = node.as<Node::Object>();
  if (members == nullptr) return nullptr;
  const auto found =
      std::find_if(members->begin(), members->end(), [&](const json::Member& m) { return m.key == key; });
  return found == members->end() ? nullptr : &*found;
}

std::optional<Node> as_json(std::string_view text) {
  try {
    return parse(text, "");
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::string compact(const Node& node) {
  if (const auto* flag = node.as<bool>()) return *flag ? "true" : "false";
  if (const auto* integer = node.as<std::int64_t>()) return std::to_string(*integer);
  if (const auto* text = node.as<std::string>()) return quote(*text);
  if (const auto* real = node.as<Real>()) {
    const bool is_whole = real->written.find_first_of(".eE") == std::string::npos;
    return is_whole ? real->written : json_number(real->value);
  }
  std::string inner;
  if (const auto* array = node.as<Node::Array>()) {
    for (const Node& item : *array) inner += (inner.empty() ? "" : ",") + compact(item);
    return "[" + inner + "]";
  }
  const auto* object = node.as<Node::Object>();
  if (object == nullptr) return "null";
  for (const Member& member : *object)
    inner += (inner.empty() ? "" : ",") + quote(member.key) + ":" + compact(member.node);
  return "{" + inner + "}";
}

std::string describe(const Node& node) {
  if (const auto* flag = node.as<bool>()) return *flag ? "true" : "false";
  if (const auto* integer = node.as<std::int64_t>()) return std::to_string(*integer);
  if (const auto* real = node.as<Real>()) return shorten(real->written);
  if (const auto* text = node.as<std::string>()) return show(*text);
  if (const auto* array = node.as<Node::Array>()) return array->empty() ? "an empty list" : "a list";
  if (const auto* object = node.as<Node::Object>()) return object->empty() ? "an empty object" : "an object";
  return "null";
}

std::uint32_t line_of(const Node& root, std::string_view pointer) {
  const Node* node = &root;
  std::uint32_t line = root.line;
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    if (const json::Member* member = find_member(*node, token)) {
      line = member->line;
      node = &member->node;
      continue;
    }
    const auto* array = node->as<Node::Array>();
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
    if (array == nullptr || error != std::errc{} || end != token.data() + token.size() || index >= array->size()) break;
    node = &(*array)[index];
    line = node->line;
  }
  return line;
}

}  // namespace regatta::json
