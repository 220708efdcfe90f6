// Each message lists its fields once, in codec_<link>.cpp; a Writer and a Reader both walk that list.
#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/json.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/ids.hpp"
#include "regatta/protocol/framing.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/stats/samples.hpp"
#include "regatta/sweep/block_task.hpp"
#include "regatta/sweep/facts.hpp"
#include "regatta/sweep/outcome.hpp"
#include "regatta/sweep/parameters.hpp"
#include "regatta/sweep/slot.hpp"
#include "regatta/sweep/training.hpp"

namespace regatta::protocol {

template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool>;

/// Samples as packed little-endian records of 32 bytes.
std::string pack(const std::vector<stats::Sample>& samples);
/// The same where they lie.
std::string_view view_of(const std::vector<stats::Sample>& samples);
/// Throws PeerLost for a size that is not whole records, or a record that holds no possible sample.
std::vector<stats::Sample> unpack(std::string_view bytes);

// ---- writing ---------------------------------------------------------------------------------------------------

class Writer {
 public:
  static constexpr bool writes = true;
  explicit Writer(std::string_view type) { (*this)("type", type); }
  Writer() = default;

  template <class T>
  void operator()(std::string_view name, const T& value) {
    begin_member(name);
    append(text_, value);
  }
  /// Left out while it is empty: older workers know nothing of it.
  template <class T>
  void if_any(const char* name, const T& value) {
    if (!value.empty()) (*this)(name, value);
  }
  template <class T>
  void if_any(const char* name, const std::optional<T>& value) {
    if (value) (*this)(name, *value);
  }
  /// Left out while it is the first of its kind.
  template <class Enum>
  requires std::is_enum_v<Enum>
  void if_any(const char* name, const Enum& value) {
    if (value != Enum()) (*this)(name, value);
  }
  /// Left out while it is false.
  void if_set(const char* name, bool value) {
    if (value) (*this)(name, true);
  }
  /// Facts that a worker may tell, each a member of the message itself.
  void facts_of_worker(const sweep::Facts& facts);
  /// A member that is JSON text itself stands in the header as an object, not as a string; empty text as null.
  void json_text(const char* name, const std::string& text);
  void payload(const std::string& bytes) { payload_ = bytes; }
  void payload(const std::vector<stats::Sample>& samples) { payload_ = pack(samples); }
  void payload(const std::vector<sweep::BlockTask>& tasks, std::uint32_t count);

  [[nodiscard]] Frame take_frame() { return {take_text(), std::move(payload_)}; }

 private:
  [[nodiscard]] std::string take_text() {
    text_ += '}';
    return std::move(text_);
  }
  void begin_member(std::string_view name);

  static void append(std::string& out, bool value) { out += value ? "true" : "false"; }
  static void append(std::string& out, double value) { append_real(out, value); }
  static void append(std::string& out, std::string_view text) { append_string(out, text); }
  static void append(std::string& out, const std::string& text) { append_string(out, text); }
  static void append(std::string& out, const char* text) { append_string(out, text); }
  template <WholeNumber T>
  static void append(std::string& out, T value) {
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), value);
  }
  template <class Tag>
  static void append(std::string& out, const Id<Tag>& id) {
    append(out, id.value);
  }
  template <class T>
  static void append(std::string& out, const std::optional<T>& value) {
    if (!value) {
      out += "null";
      return;
    }
    append(out, *value);
  }
  template <class T>
  static void append(std::string& out, const std::vector<T>& values) {
    out += '[';
    for (const T& value : values) {
      if (&value != values.data()) out += ',';
      append(out, value);
    }
    out += ']';
  }
  template <class T>
  static void append(std::string& out, const std::map<std::string, T>& values) {
    Writer inner;
    for (const auto& [key, value] : values) inner(key, value);
    out += inner.take_text();
  }
  static void append(std::string& out, stats::Phase phase) { append(out, stats::name_of(phase)); }
  static void append(std::string& out, sweep::FailureKind kind) { append(out, sweep::to_string(kind)); }
  static void append(std::string& out, stats::Flags flags) { append(out, stats::text_of(flags)); }
  static void append(std::string& out, sweep::SkipKind kind) { append(out, sweep::to_string(kind)); }
  static void append(std::string& out, const sweep::Outcome& outcome);
  static void append(std::string& out, sweep::DeviceKind kind) { append(out, sweep::to_string(kind)); }
  static void append(std::string& out, sweep::Verified verified) { append(out, sweep::to_string(verified)); }
  static void append(std::string& out, CheckAs as) { append(out, check_as_names.at(static_cast<std::size_t>(as))); }
  static void append(std::string& out, NumberType type) {
    append(out, number_type_names.at(static_cast<std::size_t>(type)));
  }
  static void append(std::string& out, const sweep::Facts& facts);
  static void append(std::string& out, const sweep::Parameters& parameters);
  static void append(std::string& out, const sweep::Learned& learned) { out += sweep::to_json(learned); }
  template <class T>
  requires std::is_class_v<T>
  static void append(std::string& out, const T& part) {
    Writer inner;
    fields(inner, part);
    out += inner.take_text();
  }

  std::string text_ = "{";
  std::string payload_;
};

// ---- reading ---------------------------------------------------------------------------------------------------

/// Where a value stands, for messages: "slice" and "steps".
struct Place {
  std::string_view message;
  std::string_view field;
};

[[noreturn]] void refuse(const Place& place, std::string_view found, std::string_view expected);

class Reader {
 public:
  static constexpr bool writes = false;
  Reader(Value json, std::string_view message, std::string_view payload = {})
      : json_(json), message_(message), payload_(payload) {}

  template <class T>
  void operator()(const char* name, T& value) {
    from_value(required(name), {message_, name}, value);
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& value) {
    const auto found = present(name);
    value.reset();
    if (found) from_value(*found, {message_, name}, value.emplace());
  }
  /// Empty if it is left out, or null.
  template <class T>
  void if_any(const char* name, T& value) {
    const auto found = present(name);
    value.clear();
    if (found) from_value(*found, {message_, name}, value);
  }
  template <class T>
  void if_any(const char* name, std::optional<T>& value) {
    (*this)(name, value);
  }
  /// The first of its kind if it is left out, or null.
  template <class Enum>
  requires std::is_enum_v<Enum>
  void if_any(const char* name, Enum& value) {
    const auto found = present(name);
    value = Enum();
    if (found) from_value(*found, {message_, name}, value);
  }
  /// False if it is left out, or null.
  void if_set(const char* name, bool& value) {
    const auto found = present(name);
    value = false;
    if (found) from_value(*found, {message_, name}, value);
  }
  void facts_of_worker(sweep::Facts& facts);
  void json_text(const char* name, std::string& text);
  void payload(std::string& bytes);
  void payload(std::vector<stats::Sample>& samples);
  void payload(std::vector<sweep::BlockTask>& tasks, std::uint32_t count);
  /// Throws PeerLost if the message has a payload that no field asked for.
  void finish() const;

 private:
  [[nodiscard]] Value required(std::string_view name) const;
  /// Unless it is left out, or null.
  [[nodiscard]] std::optional<Value> present(std::string_view name) const;

  template <class State, class Names>
  static State state_named(const Value& json, const Place& place, const Names& names, std::string_view expected);
  static void from_value(const Value& json, const Place& place, bool& value);
  static void from_value(const Value& json, const Place& place, double& value);
  static void from_value(const Value& json, const Place& place, std::string& value);
  static void from_value(const Value& json, const Place& place, stats::Phase& value);
  static void from_value(const Value& json, const Place& place, sweep::FailureKind& value);
  static void from_value(const Value& json, const Place& place, stats::Flags& value);
  static void from_value(const Value& json, const Place& place, sweep::SkipKind& value);
  static void from_value(const Value& json, const Place& place, sweep::Outcome& value);
  static void from_value(const Value& json, const Place& place, sweep::DeviceKind& value);
  static void from_value(const Value& json, const Place& place, sweep::Verified& value);
  static void from_value(const Value& json, const Place& place, CheckAs& value);
  static void from_value(const Value& json, const Place& place, NumberType& value);
  static void from_value(const Value& json, const Place& place, sweep::Facts& value);
  static void from_value(const Value& json, const Place& place, sweep::Parameters& value);
  static void from_value(const Value& json, const Place& place, sweep::Learned& value);
  static void read_fact(const Value& json, const Place& place, const sweep::FactInfo& row, sweep::Facts& facts);

  // No number of the protocol is negative.
  template <WholeNumber T>
  static void from_value(const Value& json, const Place& place, T& value) {
    constexpr auto largest = std::numeric_limits<T>::max();
    const auto number = json.unsigned_number();
    if (!number || std::cmp_greater(*number, largest))
      refuse(place, json.text(), fmt::format("an integer from 0 to {}", largest));
    value = static_cast<T>(*number);
  }
  template <class Tag>
  static void from_value(const Value& json, const Place& place, Id<Tag>& id) {
    from_value(json, place, id.value);
  }
  template <class T>
  static void from_value(const Value& json, const Place& place, std::vector<T>& values) {
    if (!json.is(Value::Kind::array)) refuse(place, json.text(), "an array");
    values.clear();
    for (const Value& element : json.elements()) from_value(element, place, values.emplace_back());
  }
  template <class T>
  static void from_value(const Value& json, const Place& place, std::map<std::string, T>& values) {
    if (!json.is(Value::Kind::object)) refuse(place, json.text(), "an object");
    values.clear();
    for (const auto& [key, value] : json.members()) from_value(value, place, values[key]);
  }
  template <class T>
  requires std::is_class_v<T>
  static void from_value(const Value& json, const Place& place, T& part) {
    if (!json.is(Value::Kind::object)) refuse(place, json.text(), "an object");
    Reader inner(json, fmt::format("{}.{}", place.message, place.field));
    fields(inner, part);
  }

  Value json_;
  std::string message_;
  std::string_view payload_;
  bool payload_read_ = false;
};

// ---- messages of one link --------------------------------------------------------------------------------------

/// A message as `fields` takes it: const for a Writer.
template <class Io, class Message>
using Of = std::conditional_t<Io::writes, const Message, Message>;

/// The fields of every order of a slice, whoever gets it.
template <class Io>
void order_fields(Io& io, Of<Io, stats::SliceOrder>& order) {
  io("phase", order.phase);
  io("slice", order.slice);
  io("reentry_steps", order.length.reentry_steps);
  io("steps", order.length.steps);
  io("group", order.length.group);
  io.if_set("wait_each", order.length.wait_each);
}

template <class Link>
Frame write_frame(const Link& message) {
  return std::visit(
      []<class Message>(const Message& held) {
        Writer writer(Message::type);
        fields(writer, held);
        return writer.take_frame();
      },
      message);
}

template <class Link>
struct LinkReader;

template <class... Messages>
struct LinkReader<std::variant<Messages...>> {
  static std::variant<Messages...> read(const Frame& frame, std::string_view link) {
    const Document document(frame.header);
    const auto type = document.root().find("type");
    if (!type || !type->is(Value::Kind::string)) refuse({link, "type"}, excerpt(frame.header), "the name of a message");
    const std::string name = type->string();
    std::optional<std::variant<Messages...>> message;
    (try_read<Messages>(name, document.root(), frame.payload, message), ...);
    if (!message) refuse({link, "type"}, name, "a message of this link");
    return *std::move(message);
  }

 private:
  template <class Message>
  static void try_read(std::string_view name, const Value& json, const std::string& payload,
                       std::optional<std::variant<Messages...>>& out) {
    if (name != Message::type) return;
    Message held{};
    Reader reader(json, name, payload);
    fields(reader, held);
    reader.finish();
    out = std::move(held);
  }
};

template <class Link>
Link read_frame(const Frame& frame, std::string_view link) {
  return LinkReader<Link>::read(frame, link);
}

}  // namespace regatta::protocol
