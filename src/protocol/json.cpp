#include "protocol/json.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "regatta/base/error.hpp"

namespace regatta::protocol {
namespace {

constexpr int max_depth = 64;
constexpr int max_keys = 16384;  // objects are searched key by key
constexpr std::size_t usual_nodes = 48;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

/// A string with its quotes.
std::string unescaped(std::string_view quoted) {
  const std::string_view inside = quoted.substr(1, quoted.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return std::string(inside);
  return nlohmann::json::parse(quoted).get<std::string>();
}

}  // namespace

// ---- reading ---------------------------------------------------------------------------------------------------

/// Recursive descent by RFC 8259. False: this is no JSON.
struct Document::Parser {
  std::string_view text;
  std::vector<Node>& nodes;
  std::size_t at = 0;
  int keys = 0;
  bool has_escape = false;
  bool is_ascii = true;

  bool whole() {
    skip_space();
    if (!is_at('{') || !value(1)) return false;
    skip_space();
    return at == text.size() && has_honest_text();
  }

  /// Rare bytes are left to a library that knows UTF-8 and surrogates.
  [[nodiscard]] bool has_honest_text() const { return (is_ascii && !has_escape) || nlohmann::json::accept(text); }

  [[nodiscard]] bool is_at(char c) const { return at < text.size() && text[at] == c; }

  void skip_space() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) ++at;
  }

  bool skip(char c) {
    skip_space();
    if (!is_at(c)) return false;
    ++at;
    return true;
  }

  bool value(int depth) {
    if (depth > max_depth + 1) throw PeerLost(fmt::format("a header is nested more than {} deep", max_depth));
    skip_space();
    if (at == text.size()) return false;
    switch (text[at]) {
      case '{':
        return inside(Value::Kind::object, '}', depth);
      case '[':
        return inside(Value::Kind::array, ']', depth);
      case '"':
        return leaf(Value::Kind::string, &Parser::string);
      case 't':
      case 'f':
        return leaf(Value::Kind::boolean, &Parser::word);
      case 'n':
        return leaf(Value::Kind::null, &Parser::word);
      default:
        return leaf(Value::Kind::number, &Parser::number);
    }
  }

  bool leaf(Value::Kind kind, bool (Parser::*read)()) {
    const std::size_t begin = at;
    if (!(this->*read)()) return false;
    const auto next = static_cast<std::uint32_t>(nodes.size() + 1);
    nodes.push_back({kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at), next});
    return true;
  }

  bool inside(Value::Kind kind, char end, int depth) {
    const std::size_t node = nodes.size();
    nodes.push_back({kind, static_cast<std::uint32_t>(at), 0, 0});
    ++at;
    for (bool is_first = true; !skip(end); is_first = false) {
      if (!is_first && !skip(',')) return false;
      if (kind == Value::Kind::object && !key()) return false;
      if (!value(depth + 1)) return false;
    }
    nodes[node].end = static_cast<std::uint32_t>(at);
    nodes[node].next = static_cast<std::uint32_t>(nodes.size());
    return true;
  }

  bool key() {
    if (++keys > max_keys) throw PeerLost(fmt::format("a header has more than {} keys", max_keys));
    skip_space();
    return is_at('"') && leaf(Value::Kind::string, &Parser::string) && skip(':');
  }

  bool string() {
    for (++at; at < text.size(); ++at) {
      const char c = text[at];
      if (is_plain(c)) continue;
      if (c == '"') {
        ++at;
        return true;
      }
      if (c == '\\') {
        has_escape = true;
        ++at;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        return false;
      } else if (c != 0x7f) {
        is_ascii = false;
      }
    }
    return false;
  }

  bool word() {
    constexpr std::array<std::string_view, 3> words = {"true", "false", "null"};
    for (const std::string_view word : words) {
      if (!text.substr(at).starts_with(word)) continue;
      at += word.size();
      return true;
    }
    return false;
  }

  bool digits() {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > begin;
  }

  bool number() {
    if (is_at('-')) ++at;
    const bool leads_with_zero = is_at('0');
    const std::size_t begin = at;
    if (!digits() || (leads_with_zero && at > begin + 1)) return false;
    if (is_at('.')) {
      ++at;
      if (!digits()) return false;
    }
    if (is_at('e') || is_at('E')) {
      ++at;
      if (is_at('+') || is_at('-')) ++at;
      return digits();
    }
    return true;
  }
};

Document::Document(std::string_view text) : text_(text) {
  nodes_.reserve(usual_nodes);
  if (!Parser{text, nodes_}.whole()) throw PeerLost(fmt::format("a header is not a JSON object: '{}'", excerpt(text)));
}

Value::Kind Value::kind() const { return document_->nodes_[at_].kind; }

std::string_view Value::text() const {
  const Document::Node& node = document_->nodes_[at_];
  return document_->text_.substr(node.begin, node.end - node.begin);
}

std::string Value::string() const { return unescaped(text()); }

std::optional<std::uint64_t> Value::unsigned_number() const {
  const std::string_view digits = text();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (!is(Kind::number) || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::optional<double> Value::real_number() const {
  const std::string_view digits = text();
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (!is(Kind::number) || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::optional<Value> Value::find(std::string_view key) const {
  const auto& nodes = document_->nodes_;
  for (std::uint32_t at = at_ + 1; at < nodes[at_].next; at = nodes[at + 1].next) {
    const std::string_view quoted = Value(*document_, at).text();
    const bool is_plain_key = quoted.substr(1, quoted.size() - 2) == key;
    if (is_plain_key || (quoted.find('\\') != std::string_view::npos && unescaped(quoted) == key))
      return Value(*document_, at + 1);
  }
  return std::nullopt;
}

std::vector<Value> Value::elements() const {
  const auto& nodes = document_->nodes_;
  std::vector<Value> all;
  for (std::uint32_t at = at_ + 1; at < nodes[at_].next; at = nodes[at].next) all.push_back(Value(*document_, at));
  return all;
}

std::vector<Value::Member> Value::members() const {
  const auto& nodes = document_->nodes_;
  std::vector<Member> all;
  for (std::uint32_t at = at_ + 1; at < nodes[at_].next; at = nodes[at + 1].next)
    all.push_back({Value(*document_, at).string(), Value(*document_, at + 1)});
  return all;
}

// ---- writing ---------------------------------------------------------------------------------------------------

void append_string(std::string& out, std::string_view text) {
  if (std::ranges::all_of(text, is_plain)) {
    out += '"';
    out += text;
    out += '"';
    return;
  }
  using Library = nlohmann::json;
  out += Library(std::string(text)).dump(-1, ' ', false, Library::error_handler_t::replace);
}

void append_real(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const std::size_t begin = out.size();
  fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), value);
  if (out.find_first_of(".e", begin) == std::string::npos) out += ".0";
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string out(text.substr(0, longest));
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return std::isprint(c) == 0; }, '?');
  if (text.size() > longest) out += "...";
  return out;
}

}  // namespace regatta::protocol
