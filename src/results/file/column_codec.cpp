#include "results/file/column_codec.hpp"

#include <utility>

#include "regatta/base/bytes.hpp"
#include "regatta/base/error.hpp"

namespace regatta::results::hdf5 {
namespace {

constexpr std::uint8_t refusal_tag = 255;  // an answer's is its place among the alternatives

template <class Value>
std::string_view bytes_of(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

void send_payload(ByteWriter head, std::monostate, const Send& send) { send(head.take()); }

void send_payload(ByteWriter head, std::int64_t value, const Send& send) {
  head.number(value);
  send(head.take());
}

void send_payload(ByteWriter head, const std::string& text, const Send& send) {
  head.number(static_cast<std::uint64_t>(text.size()));
  send(head.take());
  send(text);
}

template <class Number>
void send_payload(ByteWriter head, const std::vector<Number>& values, const Send& send) {
  head.number(static_cast<std::uint64_t>(values.size()));
  send(head.take());
  send(bytes_of(values));
}

void send_payload(ByteWriter head, const Texts& texts, const Send& send) {
  send_payload(std::move(head), texts.lengths, send);
  send(texts.all);
}

/// Takes from the other end what one answer may hold.
class Incoming {
 public:
  Incoming(const Receive& receive, std::uint64_t most_bytes) : receive_(receive), left_(most_bytes) {}

  template <class Number>
  Number number() {
    Number value{};
    receive_(&value, sizeof value);
    return value;
  }

  std::string text() {
    const auto size = number<std::uint64_t>();
    charge(size, 1);
    return raw(size);
  }

  template <class Value>
  std::vector<Value> numbers(std::uint64_t count) {
    charge(count, sizeof(Value));
    std::vector<Value> values(count);
    receive_(values.data(), count * sizeof(Value));
    return values;
  }

  Texts texts(std::uint64_t count) {
    charge(count, sizeof(std::string));
    Texts texts{numbers<std::uint64_t>(count), {}};
    std::uint64_t size = 0;
    for (const std::uint64_t length : texts.lengths) {
      charge(length, 2);  // here, and as one of the strings that are made of them
      size += length;
    }
    texts.all = raw(size);
    return texts;
  }

  [[noreturn]] static void refuse() { throw InputError("its reader sent what nobody asked for"); }

 private:
  void charge(std::uint64_t count, std::uint64_t bytes_of_each) {
    if (count > left_ / bytes_of_each) throw InputError("its reader sent more than such a file may hold");
    left_ -= count * bytes_of_each;
  }

  std::string raw(std::uint64_t size) {
    std::string bytes(size, '\0');
    receive_(bytes.data(), size);
    return bytes;
  }

  const Receive& receive_;
  std::uint64_t left_;
};

/// Columns have the rows that were asked for; how many variables a group has is the file's to say.
std::uint64_t count_of(Incoming& from, const Request& request) {
  const auto count = from.number<std::uint64_t>();
  if (request.wanted != Wanted::variables && count != request.rows) Incoming::refuse();
  return count;
}

Answer receive_answer(Incoming& from, std::uint8_t tag, const Request& request) {
  switch (tag) {
    case 0:
      return std::monostate();
    case 1:
      return from.number<std::int64_t>();
    case 2:
      return from.text();
    case 3:
      return from.numbers<std::int64_t>(count_of(from, request));
    case 4:
      return from.numbers<double>(count_of(from, request));
    case 5:
      return from.texts(count_of(from, request));
    default:
      Incoming::refuse();
  }
}

bool is_length(const Answer& answer, std::uint64_t most_rows) {
  const auto* length = std::get_if<std::int64_t>(&answer);
  return length != nullptr && *length >= 0 && static_cast<std::uint64_t>(*length) <= most_rows;
}

/// Whether the answer is of the kind that was asked for.
bool fits(const Answer& answer, Wanted wanted, std::uint64_t most_rows) {
  const bool is_missing = std::holds_alternative<std::monostate>(answer);
  switch (wanted) {
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
      return is_length(answer, most_rows);
    case Wanted::integers:
      return std::holds_alternative<std::vector<std::int64_t>>(answer);
    case Wanted::numbers:
      return std::holds_alternative<std::vector<double>>(answer);
    case Wanted::variables:
    case Wanted::texts:
      return std::holds_alternative<Texts>(answer);
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

void send_reply(const Reply& reply, const Send& send) {
  ByteWriter head;
  if (const auto* refusal = std::get_if<Refusal>(&reply)) {
    head.number(refusal_tag);
    head.number(static_cast<std::uint8_t>(refusal->is_of_library));
    return send_payload(std::move(head), refusal->what, send);
  }
  const Answer& answer = std::get<Answer>(reply);
  head.number(static_cast<std::uint8_t>(answer.index()));
  std::visit([&](const auto& held) { send_payload(std::move(head), held, send); }, answer);
}

Reply receive_reply(const Receive& receive, const Request& request, const AnswerBounds& bounds) {
  Incoming from(receive, bounds.bytes);
  const auto tag = from.number<std::uint8_t>();
  if (tag == refusal_tag) {
    const bool is_of_library = from.number<std::uint8_t>() != 0;
    return Refusal{is_of_library, from.text()};
  }
  Answer answer = receive_answer(from, tag, request);
  if (!fits(answer, request.wanted, bounds.rows)) Incoming::refuse();
  return answer;
}

}  // namespace regatta::results::hdf5
