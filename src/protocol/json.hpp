// JSON of a header, read with bounded time and memory however hostile the peer is. Values are looked at where they
// stand in the text: a message has a handful of them, and each is read once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::protocol {

class Document;

/// A value of a document, which must outlive it.
class Value {
 public:
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

  [[nodiscard]] Kind kind() const;
  [[nodiscard]] bool is(Kind kind_wanted) const { return kind() == kind_wanted; }

  /// As it was written.
  [[nodiscard]] std::string_view text() const;

  /// The text of a string, escapes resolved.
  [[nodiscard]] std::string string() const;

  /// Nothing: it is no whole number that is not negative and fits.
  [[nodiscard]] std::optional<std::uint64_t> unsigned_number() const;

  /// Nothing: it is no number, or one that no double holds.
  [[nodiscard]] std::optional<double> real_number() const;

  /// The first member of this name.
  [[nodiscard]] std::optional<Value> find(std::string_view key) const;

  [[nodiscard]] std::vector<Value> elements() const;

  struct Member;
  [[nodiscard]] std::vector<Member> members() const;

 private:
  friend class Document;
  Value(const Document& document, std::uint32_t at) : document_(&document), at_(at) {}

  const Document* document_;
  std::uint32_t at_;
};

struct Value::Member {
  std::string key;
  Value value;
};

/// A parsed text, which must outlive it.
class Document {
 public:
  /// Throws PeerLost for text that is not a JSON object, is nested more than 64 deep or has more than 16,384 keys.
  explicit Document(std::string_view text);
  Document(Document&&) = delete;

  [[nodiscard]] Value root() const { return {*this, 0}; }

 private:
  friend class Value;
  /// A value, behind it its elements, or its members as key and value in turns.
  struct Node {
    Value::Kind kind;
    std::uint32_t begin;  ///< in the text
    std::uint32_t end;
    std::uint32_t next;  ///< node behind all that is inside this one
  };
  struct Parser;

  std::string_view text_;
  std::vector<Node> nodes_;
};

// ---- writing ---------------------------------------------------------------------------------------------------

/// As a JSON string; bytes that are not UTF-8 become U+FFFD.
void append_string(std::string& out, std::string_view text);

/// The shortest number that reads back to the same double; null for what is not finite.
void append_real(std::string& out, double value);

/// At most 60 characters of a value, for messages.
std::string excerpt(std::string_view text);

}  // namespace regatta::protocol
