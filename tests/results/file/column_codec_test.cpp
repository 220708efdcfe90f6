#include "results/file/column_codec.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "regatta/base/error.hpp"

namespace regatta::results::hdf5 {
namespace {

Texts texts(const std::vector<std::string>& strings) {
  Texts column;
  for (const std::string& text : strings) {
    column.lengths.push_back(text.size());
    column.all += text;
  }
  return column;
}

struct Exchange {
  Request request;
  Answer answer;
};

const std::vector<Exchange>& exchanges() {
  static const std::vector<Exchange> all = {
      {{Wanted::root_text, "", "title"}, std::string("small")},
      {{Wanted::root_text, "", "none"}, std::monostate()},
      {{Wanted::root_integer, "", "n"}, std::int64_t{-7}},
      {{Wanted::group, "trials", ""}, std::int64_t{1}},
      {{Wanted::variables, "trials", ""}, texts({"a", "b"})},
      {{Wanted::variable, "trials", "a"}, std::monostate()},
      {{Wanted::length, "trials", "trial"}, std::int64_t{3}},
      {{Wanted::fill_value, "trials", "a"}, std::int64_t{INT64_MIN}},
      {{Wanted::integers, "trials", "a", 2}, std::vector<std::int64_t>{INT64_MIN, INT64_MAX}},
      {{Wanted::numbers, "trials", "a", 2}, std::vector<double>{-0.5, 1e300}},
      {{Wanted::numbers, "trials", "a", 0}, std::vector<double>{}},
      {{Wanted::texts, "trials", "a", 3}, texts({"", "\xc3\xbc", std::string(70000, 'x')})},
      {{Wanted::text, "provenance", "sweep_json"}, std::string("{}")},
  };
  return all;
}

TEST(ColumnCodec, RequestsComeBack) {
  for (const auto& [request, answer] : exchanges()) {
    const Request back = decode_request(encode(request));
    EXPECT_EQ(back.wanted, request.wanted);
    EXPECT_EQ(back.group, request.group);
    EXPECT_EQ(back.name, request.name);
    EXPECT_EQ(back.rows, request.rows);
  }
}

constexpr AnswerBounds ample{std::uint64_t{1} << 20, 100};

std::string sent(const Reply& reply) {
  std::string bytes;
  send_reply(reply, [&](std::string_view more) { bytes += more; });
  return bytes;
}

Reply received(std::string_view bytes, const Request& request, const AnswerBounds& bounds = ample) {
  const auto next = [&bytes](void* to, std::uint64_t count) {
    if (count > bytes.size()) throw InputError("the other end is gone");
    bytes.copy(static_cast<char*>(to), count);
    bytes.remove_prefix(count);
  };
  Reply reply = receive_reply(next, request, bounds);
  EXPECT_EQ(bytes, "") << "all of it is taken";
  return reply;
}

std::string lie(std::string_view bytes, const Request& request, const AnswerBounds& bounds = ample) {
  try {
    received(bytes, request, bounds);
  } catch (const InputError& error) {
    return error.what();
  }
  return "believed";
}

constexpr const char* not_asked_for = "its reader sent what nobody asked for";
constexpr const char* too_much = "its reader sent more than such a file may hold";

TEST(ColumnCodec, RepliesComeBack) {
  for (const auto& [request, answer] : exchanges())
    EXPECT_EQ(std::get<Answer>(received(sent(answer), request)), answer);
  const Reply refused = received(sent(Refusal{true, "it broke"}), exchanges()[0].request);
  EXPECT_EQ(std::get<Refusal>(refused).what, "it broke");
  EXPECT_TRUE(std::get<Refusal>(refused).is_of_library);
}

TEST(ColumnCodec, AReplyThatIsCutAnywhereIsNone) {
  for (const auto& [request, answer] : exchanges()) {
    const std::string bytes = sent(answer);
    for (std::size_t size = 0; size < std::min<std::size_t>(bytes.size(), 40); ++size)
      EXPECT_EQ(lie(bytes.substr(0, size), request), "the other end is gone") << size;
  }
}

TEST(ColumnCodec, EveryKindOfAnswerIsTakenByTheRequestsOfItsKindAlone) {
  const Request rows = {Wanted::numbers, "trials", "a", 2};
  const std::vector<std::pair<Answer, std::vector<Wanted>>> kinds = {
      {std::monostate(),
       {Wanted::root_text, Wanted::root_integer, Wanted::group, Wanted::variable, Wanted::fill_value}},
      {std::int64_t{1}, {Wanted::root_integer, Wanted::group, Wanted::variable, Wanted::length, Wanted::fill_value}},
      {std::string("x"), {Wanted::root_text, Wanted::text}},
      {std::vector<std::int64_t>{1, 2}, {Wanted::integers}},
      {std::vector<double>{1, 2}, {Wanted::numbers}},
      {texts({"a", "b"}), {Wanted::variables, Wanted::texts}},
  };
  for (const auto& [answer, takers] : kinds) {
    for (int wanted = 0; wanted <= static_cast<int>(Wanted::text); ++wanted) {
      const Request request = {static_cast<Wanted>(wanted), "trials", "a", rows.rows};
      const bool is_taken = std::ranges::find(takers, request.wanted) != takers.end();
      EXPECT_EQ(lie(sent(answer), request), is_taken ? "believed" : not_asked_for) << answer.index() << ' ' << wanted;
    }
  }
  EXPECT_EQ(lie("\x06", rows), not_asked_for) << "a kind that there is not";
}

TEST(ColumnCodec, AColumnHasTheRowsThatWereAskedFor) {
  EXPECT_EQ(lie(sent(Answer(std::vector<double>{1, 2})), {Wanted::numbers, "trials", "a", 3}), not_asked_for);
  EXPECT_EQ(lie(sent(Answer(std::vector<std::int64_t>{1})), {Wanted::integers, "trials", "a", 0}), not_asked_for);
  EXPECT_EQ(lie(sent(Answer(texts({"a", "b"}))), {Wanted::texts, "trials", "a", 1}), not_asked_for);
}

TEST(ColumnCodec, ALengthIsNoneThatSuchAFileCannotHave) {
  const Request length = {Wanted::length, "trials", "trial"};
  EXPECT_EQ(lie(sent(Answer(std::int64_t{100})), length), "believed");
  EXPECT_EQ(lie(sent(Answer(std::int64_t{101})), length), not_asked_for);
  EXPECT_EQ(lie(sent(Answer(std::int64_t{-1})), length), not_asked_for);
}

// The claimed sizes lie far beyond the memory that could be allocated: they are refused before.
TEST(ColumnCodec, MoreThanAnAnswerMayTakeIsRefusedUnallocated) {
  const std::string huge = std::string("\0\0\0\0\0\0\0\x7f", 8);  // 2^63 less some
  const std::uint64_t rows = std::uint64_t{0x7f} << 56;
  EXPECT_EQ(lie("\x02" + huge, {Wanted::text, "provenance", "created"}), too_much);
  EXPECT_EQ(lie("\x03" + huge, {Wanted::integers, "trials", "a", rows}), too_much);
  EXPECT_EQ(lie("\x04" + huge, {Wanted::numbers, "trials", "a", rows}), too_much);
  EXPECT_EQ(lie("\x05" + huge, {Wanted::texts, "trials", "a", rows}), too_much);
  EXPECT_EQ(lie("\x05" + huge, {Wanted::variables, "trials", ""}), too_much);
  const std::string one_text = std::string("\x05\1\0\0\0\0\0\0\0", 9);
  EXPECT_EQ(lie(one_text + huge, {Wanted::texts, "trials", "a", 1}), too_much);
  EXPECT_EQ(lie("\xff\x01" + huge, {Wanted::text, "provenance", "created"}), too_much) << "a refusal's text";
}

TEST(ColumnCodec, LengthsOfTextsThatTogetherPassTheBoundAreRefused) {
  const Reply reply = Answer(texts(std::vector<std::string>(10, std::string(50, 'x'))));
  const Request request = {Wanted::texts, "trials", "a", 10};
  const std::uint64_t takes = 10 * (sizeof(std::string) + sizeof(std::uint64_t) + 2 * 50);
  EXPECT_EQ(lie(sent(reply), request, {takes, 10}), "believed");
  EXPECT_EQ(lie(sent(reply), request, {takes - 1, 10}), too_much);
}

}  // namespace
}  // namespace regatta::results::hdf5
