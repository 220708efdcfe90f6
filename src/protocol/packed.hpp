// The packed form of messages between processes of one build: the same fields in the same order as in JSON, as bytes
// without names. Reading needs no parse, and costs a tenth.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/fields.hpp"
#include "protocol/packed_parameters.hpp"
#include "regatta/base/bytes.hpp"
#include "regatta/stats/flags.hpp"

namespace regatta::protocol {

// ---- writing ---------------------------------------------------------------------------------------------------

class PackedWriter {
 public:
  static constexpr bool writes = true;
  explicit PackedWriter(std::size_t message);

  template <class T>
  void operator()(std::string_view, const T& value) {
    put(value);
  }
  template <class T>
  void if_any(std::string_view, const T& value) {
    put(value);
  }
  void if_set(std::string_view, bool value) { put(value); }
  void facts_of_worker(const sweep::Facts& facts) { put(facts); }
  void json_text(std::string_view, const std::string& text) { put(text); }
  void payload(const std::string& bytes) { put(bytes); }
  void payload(const std::vector<stats::Sample>& samples) { out_.text(view_of(samples)); }
  void payload(const std::vector<sweep::BlockTask>& tasks, std::uint32_t count);

  [[nodiscard]] Frame take_frame();

 private:
  void put(bool value) { out_.number<std::uint8_t>(value ? 1 : 0); }
  void put(double value) { out_.number(value); }
  void put(std::string_view text) { out_.text(text); }
  void put(const std::string& text) { out_.text(text); }
  void put(stats::Flags flags) { out_.number(flags.bits); }
  void put(const sweep::Parameters& parameters);
  void put(const sweep::Outcome& outcome);
  void put(const sweep::Facts& facts);
  void put(const sweep::Learned& learned) { put(sweep::to_json(learned)); }
  template <WholeNumber T>
  void put(T value) {
    out_.number(value);
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void put(Enum value) { out_.number(static_cast<std::uint8_t>(value)); }
  template <class Tag>
  void put(const Id<Tag>& id) {
    put(id.value);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    out_.list(values, [&](const T& value) { put(value); });
  }
  template <class T>
  void put(const std::map<std::string, T>& values) {
    out_.list(values, [&](const auto& entry) {
      put(entry.first);
      put(entry.second);
    });
  }
  template <class T>
  requires std::is_class_v<T>
  void put(const T& part) { fields(*this, part); }

  ByteWriter out_;
};

// ---- reading ---------------------------------------------------------------------------------------------------

/// Throws InputError for what cannot be.
class PackedReader {
 public:
  static constexpr bool writes = false;
  explicit PackedReader(std::string_view body) : in_(body) {}

  template <class T>
  void operator()(std::string_view, T& value) {
    take(value);
  }
  template <class T>
  void if_any(std::string_view, T& value) {
    take(value);
  }
  void if_set(std::string_view, bool& value) { take(value); }
  void facts_of_worker(sweep::Facts& facts);
  void json_text(std::string_view, std::string& text) { take(text); }
  void payload(std::string& bytes) { take(bytes); }
  void payload(std::vector<stats::Sample>& samples) { samples = unpack(in_.text_view()); }
  void payload(std::vector<sweep::BlockTask>& tasks, std::uint32_t count);

  [[nodiscard]] std::size_t message() { return in_.number<std::uint8_t>(); }
  /// Nothing may follow the last field.
  void finish() const { need(in_.is_at_end(), "more follows than its fields"); }

 private:
  void take(bool& value) { value = take_flag(in_); }
  void take(double& value) { value = in_.number<double>(); }
  void take(std::string& text) { text = in_.text_view(); }
  void take(sweep::Parameters& parameters);
  void take(sweep::Outcome& outcome);
  void take(sweep::Facts& facts);
  void take(sweep::Learned& learned) { learned = sweep::parse_learned(in_.text_view()); }
  void take(stats::Phase& phase);
  void take(sweep::FailureKind& kind) { kind = take_choice(in_, last_of<sweep::FailureKind>(sweep::failure_names)); }
  void take(stats::Flags& flags);
  void take(sweep::SkipKind& kind) { kind = take_choice(in_, last_of<sweep::SkipKind>(sweep::skip_names)); }
  void take(sweep::DeviceKind& kind) { kind = take_choice(in_, last_of<sweep::DeviceKind>(sweep::device_names)); }
  void take(sweep::Verified& verified) { verified = take_choice(in_, last_of<sweep::Verified>(sweep::verified_names)); }
  void take(CheckAs& as) { as = take_choice(in_, last_of<CheckAs>(check_as_names)); }
  void take(NumberType& type) { type = take_choice(in_, last_of<NumberType>(number_type_names)); }
  // No number of the protocol is negative.
  template <WholeNumber T>
  void take(T& value) {
    value = in_.number<T>();
    if constexpr (std::is_signed_v<T>) need(value >= 0, "a number is negative");
  }
  template <class Tag>
  void take(Id<Tag>& id) {
    take(id.value);
  }
  template <class T>
  void take(std::optional<T>& value) {
    value.reset();
    if (take_flag(in_)) take(value.emplace());
  }
  template <class T>
  void take(std::vector<T>& values) {
    values.clear();
    in_.list([&] { take(values.emplace_back()); });
  }
  template <class T>
  void take(std::map<std::string, T>& values) {
    values.clear();
    in_.list([&] {
      std::string key = in_.text();
      take(values[std::move(key)]);
    });
  }
  template <class T>
  requires std::is_class_v<T>
  void take(T& part) { fields(*this, part); }

  template <class Enum, class Names>
  static constexpr Enum last_of(const Names& names) {
    return static_cast<Enum>(names.size() - 1);
  }

  ByteReader in_;
};

// ---- which fields there are ------------------------------------------------------------------------------------

/// Walks the fields of messages and writes down which there are, in order and with their types: processes whose layouts
/// are the same read each other's packed messages.
class Layout {
 public:
  static constexpr bool writes = true;

  template <class T>
  void operator()(std::string_view name, const T&) {
    text_ += name;
    text_ += ':';
    describe<T>();
    text_ += ' ';
  }
  template <class T>
  void if_any(std::string_view name, const T& value) {
    (*this)(name, value);
  }
  void if_set(std::string_view name, bool value) { (*this)(name, value); }
  void facts_of_worker(const sweep::Facts&);
  void json_text(std::string_view name, const std::string& text) { (*this)(name, text); }
  template <class... Payload>
  void payload(const Payload&...) {
    text_ += "payload ";
  }
  template <class... Messages>
  void link(std::type_identity<std::variant<Messages...>>) {
    (message(Messages{}), ...);
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  template <class Message>
  void message(const Message& example) {
    text_ += Message::type;
    text_ += ' ';
    fields(*this, example);
  }
  template <class T>
  void describe() {
    if constexpr (std::is_arithmetic_v<T>)
      text_ += fmt::format("{}{}", std::is_floating_point_v<T> ? 'f' : 'i', sizeof(T));
    else if constexpr (std::is_enum_v<T>)
      text_ += 'e';
    else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, sweep::Learned>)
      text_ += 's';
    else if constexpr (std::is_same_v<T, sweep::Parameters>)
      parameters();
    else if constexpr (requires { typename T::mapped_type; })
      text_ += '{', describe<typename T::mapped_type>(), text_ += '}';
    else if constexpr (requires(const T& value) { value.has_value(); })
      text_ += '?', describe<typename T::value_type>();
    else if constexpr (requires { typename T::value_type; })
      text_ += '[', describe<typename T::value_type>(), text_ += ']';
    else if constexpr (requires(const T& id) { id.value; })
      describe<decltype(T::value)>();
    else
      text_ += '(', fields(*this, T{}), text_ += ')';
  }
  void parameters();

  std::string text_;
};

// ---- messages of one link --------------------------------------------------------------------------------------

template <class Link>
Frame write_packed(const Link& message) {
  PackedWriter writer(message.index());
  std::visit([&](const auto& held) { fields(writer, held); }, message);
  return writer.take_frame();
}

/// The part of a packed frame behind the mark and the size.
std::string_view packed_body(const Frame& frame);
[[noreturn]] void refuse_packed(std::string_view link, std::string_view message, std::string_view why);

template <class Link>
struct PackedLinkReader;

template <class... Messages>
struct PackedLinkReader<std::variant<Messages...>> {
  using Link = std::variant<Messages...>;

  static Link read(const Frame& frame, std::string_view link) {
    std::string_view name = "of no known type";
    try {
      PackedReader reader(packed_body(frame));
      const std::size_t index = reader.message();
      std::optional<Link> message;
      (try_read<Messages>(index, reader, name, message), ...);
      need(message.has_value(), "its number is no message's");
      reader.finish();
      return *std::move(message);
    } catch (const InputError& error) {
      refuse_packed(link, name, error.what());
    } catch (const PeerLost& error) {
      refuse_packed(link, name, error.what());
    }
  }

 private:
  template <class Message>
  static void try_read(std::size_t index, PackedReader& reader, std::string_view& name, std::optional<Link>& out) {
    if (index != Link(std::in_place_type<Message>).index()) return;
    name = Message::type;
    fields(reader, std::get<Message>(out.emplace(std::in_place_type<Message>)));
  }
};

/// In whichever form it came.
template <class Link>
Link read_any(const Frame& frame, std::string_view link) {
  return is_packed(frame) ? PackedLinkReader<Link>::read(frame, link) : LinkReader<Link>::read(frame, link);
}

}  // namespace regatta::protocol
