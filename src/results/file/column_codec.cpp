#include "results/file/column_codec.hpp"

#include <cstring>
#include <type_traits>

#include "regatta/base/bytes.hpp"
#include "regatta/base/error.hpp"

namespace regatta::results::hdf5 {
namespace {

constexpr std::uint8_t refusal_tag = 255;  // an answer's is its place among the alternatives

template <class Value>
void write_payload(ByteWriter& to, const std::vector<Value>& values) {
  to.number(static_cast<std::uint64_t>(values.size()));
  if constexpr (std::is_arithmetic_v<Value>) {
    to.raw({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)});
  } else {
    for (const Value& value : values) to.text(value);
  }
}

void write_payload(ByteWriter& to, const std::string& text) { to.text(text); }
void write_payload(ByteWriter& to, std::int64_t value) { to.number(value); }
void write_payload(ByteWriter&, std::monostate) {}

template <class Value>
std::vector<Value> read_numbers(ByteReader& from) {
  const auto count = from.number<std::uint64_t>();
  if (count > from.left() / sizeof(Value)) throw InputError("its reader sent half a column");
  std::vector<Value> values(count);
  const std::string_view bytes = from.raw(count * sizeof(Value));
  if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<std::string> read_texts(ByteReader& from) {
  const auto count = from.number<std::uint64_t>();
  if (count > from.left() / sizeof(std::uint32_t)) throw InputError("its reader sent half a column");
  std::vector<std::string> values;
  values.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(from.text());
  return values;
}

Answer read_answer(ByteReader& from, std::uint8_t tag) {
  switch (tag) {
    case 0:
      return std::monostate();
    case 1:
      return from.number<std::int64_t>();
    case 2:
      return from.text();
    case 3:
      return read_numbers<std::int64_t>(from);
    case 4:
      return read_numbers<double>(from);
    case 5:
      return read_texts(from);
    default:
      throw InputError("its reader sent what nobody asked for");
  }
}

template <class Value>
bool is_column(const Answer& answer, const Request& request) {
  const auto* values = std::get_if<std::vector<Value>>(&answer);
  return values != nullptr && values->size() == request.rows;
}

/// Whether the answer is of the kind that was asked for.
bool fits(const Answer& answer, const Request& request) {
  const bool is_missing = std::holds_alternative<std::monostate>(answer);
  switch (request.wanted) {
    case Wanted::root_text:
      return is_missing || std::holds_alternative<std::string>(answer);
    case Wanted::text:
      return std::holds_alternative<std::string>(answer);
    case Wanted::root_integer:
    case Wanted::group:
    case Wanted::variable:
    case Wanted::fill_value:
      return is_missing || std::holds_alternative<std::int64_t>(answer);
    case Wanted::length:
      return std::holds_alternative<std::int64_t>(answer) && std::get<std::int64_t>(answer) >= 0;
    case Wanted::variables:
      return std::holds_alternative<std::vector<std::string>>(answer);
    case Wanted::integers:
      return is_column<std::int64_t>(answer, request);
    case Wanted::numbers:
      return is_column<double>(answer, request);
    case Wanted::texts:
      return is_column<std::string>(answer, request);
  }
  return false;
}

}  // namespace

std::string encode(const Request& request) {
  ByteWriter to;
  to.number(static_cast<std::uint8_t>(request.wanted));
  to.text(request.group);
  to.text(request.name);
  to.number(request.rows);
  return to.take();
}

Request decode_request(std::string_view bytes) {
  ByteReader from(bytes);
  Request request;
  request.wanted = static_cast<Wanted>(from.number<std::uint8_t>());
  request.group = from.text();
  request.name = from.text();
  request.rows = from.number<std::uint64_t>();
  return request;
}

std::string encode(const Reply& reply) {
  ByteWriter to;
  if (const auto* refusal = std::get_if<Refusal>(&reply)) {
    to.number(refusal_tag);
    to.number(static_cast<std::uint8_t>(refusal->is_of_library));
    to.text(refusal->what);
    return to.take();
  }
  const Answer& answer = std::get<Answer>(reply);
  to.number(static_cast<std::uint8_t>(answer.index()));
  std::visit([&](const auto& held) { write_payload(to, held); }, answer);
  return to.take();
}

Reply decode_reply(std::string_view bytes, const Request& request) {
  ByteReader from(bytes);
  const auto tag = from.number<std::uint8_t>();
  if (tag == refusal_tag) {
    const bool is_of_library = from.number<std::uint8_t>() != 0;
    return Refusal{is_of_library, from.text()};
  }
  Answer answer = read_answer(from, tag);
  if (!from.is_at_end() || !fits(answer, request)) throw InputError("its reader sent what nobody asked for");
  return answer;
}

}  // namespace regatta::results::hdf5
