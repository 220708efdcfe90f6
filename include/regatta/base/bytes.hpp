// Binary payloads of journal and messages: little-endian numbers, texts with their length before them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"

namespace regatta {

static_assert(std::endian::native == std::endian::little, "payloads are little-endian");

class ByteWriter {
 public:
  template <class Number>
  void number(Number value) {
    static_assert(std::is_arithmetic_v<Number>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes_ += value;
  }
  void hash(const Hash128& value) {
    bytes_.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
  }
  template <class List, class Write>
  void list(const List& items, Write&& write) {
    number(static_cast<std::uint32_t>(items.size()));
    for (const auto& item : items) write(item);
  }

  /// Room for so many bytes.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }

  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Throws InputError where the payload ends too early. Bytes behind the fields that are read are the caller's to judge:
/// in a journal they are a later version's.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
  Number number() {
    static_assert(std::is_arithmetic_v<Number>);
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(text_view()); }
  /// The same where it stands.
  std::string_view text_view() { return take(number<std::uint32_t>()); }
  Hash128 hash() {
    Hash128 value;
    std::memcpy(value.bytes.data(), take(value.bytes.size()).data(), value.bytes.size());
    return value;
  }
  template <class Read>
  void list(Read&& read) {
    for (auto left = number<std::uint32_t>(); left > 0; --left) read();
  }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::size_t count) {
    if (count > rest_.size()) throw InputError("it ends too early");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

}  // namespace regatta
