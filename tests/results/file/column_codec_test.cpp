#include "results/file/column_codec.hpp"

#include <gmock/gmock.h>

#include "regatta/base/error.hpp"

namespace regatta::results::hdf5 {
namespace {

using Texts = std::vector<std::string>;

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
      {{Wanted::variables, "trials", ""}, Texts{"a", "b"}},
      {{Wanted::variable, "trials", "a"}, std::monostate()},
      {{Wanted::length, "trials", "trial"}, std::int64_t{3}},
      {{Wanted::fill_value, "trials", "a"}, std::int64_t{INT64_MIN}},
      {{Wanted::integers, "trials", "a", 2}, std::vector<std::int64_t>{INT64_MIN, INT64_MAX}},
      {{Wanted::numbers, "trials", "a", 2}, std::vector<double>{-0.5, 1e300}},
      {{Wanted::numbers, "trials", "a", 0}, std::vector<double>{}},
      {{Wanted::texts, "trials", "a", 3}, Texts{"", "\xc3\xbc", std::string(70000, 'x')}},
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

TEST(ColumnCodec, RepliesComeBack) {
  for (const auto& [request, answer] : exchanges())
    EXPECT_EQ(std::get<Answer>(decode_reply(encode(Reply(answer)), request)), answer);
  const Reply refused = decode_reply(encode(Reply(Refusal{true, "it broke"})), exchanges()[0].request);
  EXPECT_EQ(std::get<Refusal>(refused).what, "it broke");
  EXPECT_TRUE(std::get<Refusal>(refused).is_of_library);
}

TEST(ColumnCodec, AReplyThatIsCutAnywhereOrGoesOnIsRefused) {
  for (const auto& [request, answer] : exchanges()) {
    const std::string bytes = encode(Reply(answer));
    for (std::size_t size = 0; size < std::min<std::size_t>(bytes.size(), 40); ++size)
      EXPECT_THROW(decode_reply(bytes.substr(0, size), request), InputError) << size;
    EXPECT_THROW(decode_reply(bytes + "x", request), InputError);
  }
}

TEST(ColumnCodec, AReplyToAnotherRequestIsRefused) {
  const std::string bytes = encode(Reply(Answer(std::vector<double>{1, 2})));
  EXPECT_THROW(decode_reply(bytes, {Wanted::numbers, "trials", "a", 3}), InputError);
  EXPECT_THROW(decode_reply(bytes, {Wanted::integers, "trials", "a", 2}), InputError);
  EXPECT_THROW(decode_reply(encode(Reply(Answer(std::int64_t{-1}))), {Wanted::length, "trials", "a"}), InputError);
}

TEST(ColumnCodec, ACountBeyondWhatWasSentIsNotAllocated) {
  std::string bytes = encode(Reply(Answer(std::vector<double>{1, 2})));
  bytes.replace(1, 8, std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8));
  EXPECT_THROW(decode_reply(bytes, {Wanted::numbers, "trials", "a", 2}), InputError);
}

}  // namespace
}  // namespace regatta::results::hdf5
