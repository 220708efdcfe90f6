// A value of a JSON file together with its place, and the checks that every reader needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/json/document.hpp"
#include "regatta/json/problem.hpp"

namespace regatta::json {

struct Cursor {
  const Node& node;
  Place place;

  [[noreturn]] void refuse(const std::string& expected, const std::string& suggestion = {}) const {
    json::refuse(place, {describe(node), expected, suggestion});
  }

  [[nodiscard]] bool is_object() const { return node.as<Node::Object>() != nullptr; }

  /// A text of at least one character, else an error that says what the text is for: "a path".
  [[nodiscard]] const std::string& text(const std::string& expected) const;
  [[nodiscard]] std::int64_t integer(std::int64_t minimum, std::int64_t maximum) const;
  /// The same with another word for what is expected.
  [[nodiscard]] std::int64_t integer(std::int64_t minimum, std::int64_t maximum, const std::string& expected) const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] double number(double minimum, double maximum) const;
  /// Any number, or nothing if this is none.
  [[nodiscard]] std::optional<double> as_number() const;
  /// One of these texts.
  [[nodiscard]] const std::string& choice(const std::vector<std::string>& names) const;
  /// A text that can be part of a file name.
  [[nodiscard]] const std::string& name() const;
  /// Quantities as people write them (base/units.hpp), all above zero.
  [[nodiscard]] double duration_seconds() const;
  [[nodiscard]] double fraction() const;
  [[nodiscard]] std::uint64_t size_bytes() const;

  /// The elements of a list that is not empty.
  [[nodiscard]] std::vector<Cursor> list(const std::string& expected) const;
  /// The same; anything else than a list is a list of one.
  [[nodiscard]] std::vector<Cursor> list_or_one(const std::string& expected) const;
  /// A list of texts that is not empty.
  [[nodiscard]] std::vector<std::string> texts(const std::string& expected) const;

  /// The value of this key, if this is an object that has it.
  [[nodiscard]] std::optional<Cursor> member(const std::string& key) const;

  struct Member;
  /// The members of an object, in file order.
  [[nodiscard]] std::vector<Member> members(const std::string& expected) const;
};

struct Cursor::Member {
  const std::string& key;
  Cursor value;
};

/// An object that has no other keys than `known`.
class Fields {
 public:
  Fields(Cursor object, const std::string& expected, const std::vector<std::string>& known);

  [[nodiscard]] std::optional<Cursor> find(const std::string& key) const { return object_.member(key); }
  [[nodiscard]] Cursor need(const std::string& key, const std::string& expected) const;

 private:
  Cursor object_;
};

/// Whether `text` may stand in file names and in `engine@NAME`: letters, digits, '.', '_' and '-', at most 100
/// characters, beginning with a letter or digit, without "..".
bool is_name(std::string_view text);

inline constexpr const char* name_rule =
    "a name of at most 100 letters, digits, '.', '_' and '-', beginning with a letter or digit";

}  // namespace regatta::json
