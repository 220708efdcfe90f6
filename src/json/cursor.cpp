#include "regatta/json/cursor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "regatta/base/suggestion.hpp"
#include "regatta/base/units.hpp"
#include "regatta/json/text.hpp"

namespace regatta::json {
namespace {

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The result of `parse` for a text; nothing for other values.
template <class Parse>
auto quantity(const Cursor& cursor, Parse parse) {
  const auto* text = cursor.node.as<std::string>();
  return text != nullptr ? parse(*text) : decltype(parse(*text))();
}

/// For what may have been meant: a number in quotes.
std::string hint(const Node& node) {
  const auto* text = node.as<std::string>();
  return text != nullptr ? without_quotes(*text) : std::string();
}

Cursor element(const Cursor& list, const Node& node, std::size_t index) {
  return {node, {list.place.file, node.line, fmt::format("{}/{}", list.place.pointer, index)}};
}

Cursor value_of(const Cursor& object, const json::Member& member) {
  return {member.node, {object.place.file, member.node.line, join_pointer(object.place.pointer, member.key)}};
}

}  // namespace

bool is_name(std::string_view text) {
  const auto allowed = [](char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= 100 && is_letter_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(), allowed) && text.find("..") == std::string_view::npos;
}

const std::string& Cursor::text(const std::string& expected) const {
  const auto* value = node.as<std::string>();
  if (value == nullptr || value->empty()) refuse(expected);
  return *value;
}

std::int64_t Cursor::integer(std::int64_t minimum, std::int64_t maximum) const {
  return integer(minimum, maximum, fmt::format("an integer from {} to {}", minimum, maximum));
}

std::int64_t Cursor::integer(std::int64_t minimum, std::int64_t maximum, const std::string& expected) const {
  const auto* value = node.as<std::int64_t>();
  if (value == nullptr || *value < minimum || *value > maximum) refuse(expected + hint(node));
  return *value;
}

const std::string& Cursor::choice(const std::vector<std::string>& names) const {
  const auto* value = node.as<std::string>();
  if (value == nullptr) refuse(one_of_nearest("", names));
  if (std::find(names.begin(), names.end(), *value) == names.end())
    refuse(one_of_nearest(*value, names), nearest_name(*value, names));
  return *value;
}

const std::string& Cursor::name() const {
  const auto* value = node.as<std::string>();
  if (value == nullptr || !is_name(*value)) refuse(name_rule);
  return *value;
}

bool Cursor::boolean() const {
  const auto* value = node.as<bool>();
  if (value == nullptr) refuse("true or false" + hint(node));
  return *value;
}

std::optional<double> Cursor::as_number() const {
  if (const auto* integer = node.as<std::int64_t>()) return static_cast<double>(*integer);
  if (const auto* real = node.as<Real>()) return real->value;
  return std::nullopt;
}

double Cursor::number(double minimum, double maximum) const {
  const std::optional<double> value = as_number();
  if (!value || *value < minimum || *value > maximum)
    refuse(fmt::format("a number from {} to {}{}", minimum, maximum, hint(node)));
  return *value;
}

double Cursor::duration_seconds() const {
  const auto seconds = quantity(*this, parse_duration);
  if (!seconds || *seconds <= 0) refuse("a duration above zero such as \"300s\"");
  return *seconds;
}

double Cursor::fraction() const {
  const auto value = quantity(*this, parse_percent);
  if (!value || *value <= 0 || *value > 1) refuse("a percentage above zero, up to \"100%\", such as \"1%\"");
  return *value;
}

std::uint64_t Cursor::size_bytes() const {
  const auto bytes = quantity(*this, parse_size);
  if (!bytes || *bytes == 0) refuse("a size above zero such as \"8GiB\"");
  return *bytes;
}

std::vector<Cursor> Cursor::list(const std::string& expected) const {
  const auto* array = node.as<Node::Array>();
  if (array == nullptr || array->empty()) refuse(expected);
  std::vector<Cursor> elements;
  for (std::size_t i = 0; i < array->size(); ++i) elements.push_back(element(*this, (*array)[i], i));
  return elements;
}

std::vector<Cursor> Cursor::list_or_one(const std::string& expected) const {
  if (node.as<Node::Array>() == nullptr) return {*this};
  return list(expected);
}

std::vector<std::string> Cursor::texts(const std::string& expected) const {
  std::vector<std::string> texts;
  for (const Cursor& item : list(expected)) texts.push_back(item.text("a text"));
  return texts;
}

std::optional<Cursor> Cursor::member(const std::string& key) const {
  const json::Member* found = find_member(node, key);
  if (found == nullptr) return std::nullopt;
  return value_of(*this, *found);
}

std::vector<Cursor::Member> Cursor::members(const std::string& expected) const {
  const auto* object = node.as<Node::Object>();
  if (object == nullptr) refuse(expected);
  std::vector<Member> members;
  for (const json::Member& member : *object) members.push_back({member.key, value_of(*this, member)});
  return members;
}

Fields::Fields(Cursor object, const std::string& expected, const std::vector<std::string>& known)
    : object_(std::move(object)) {
  const auto* members = object_.node.as<Node::Object>();
  if (members == nullptr) object_.refuse(expected);
  for (const json::Member& member : *members) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    refuse({object_.place.file, member.line, join_pointer(object_.place.pointer, member.key)},
           {fmt::format("the unknown key {}", show(member.key)), one_of(known), nearest_name(member.key, known)});
  }
}

Cursor Fields::need(const std::string& key, const std::string& expected) const {
  if (auto value = find(key)) return *value;
  refuse({object_.place.file, object_.place.line, join_pointer(object_.place.pointer, key)}, {"nothing", expected, ""});
}

}  // namespace regatta::json
