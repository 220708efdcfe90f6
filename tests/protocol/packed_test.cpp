// Contents that a packed message may not have. The tests of the links show that each message comes back as it was.
#include "protocol/packed.hpp"

#include <gmock/gmock.h>

#include "protocol/messages.hpp"
#include "regatta/base/error.hpp"

namespace regatta::protocol {

struct LayoutOne {
  static constexpr std::string_view type = "one";
  std::int64_t steps = 0;
};
struct LayoutOther {
  static constexpr std::string_view type = "other";
  std::vector<std::vector<double>> losses;
  std::optional<std::int64_t> steps;
  std::map<std::string, LayoutOne> parts;
};

template <class Io>
void fields(Io& io, Of<Io, LayoutOne>& m) {
  io("steps", m.steps);
}
template <class Io>
void fields(Io& io, Of<Io, LayoutOther>& m) {
  io("losses", m.losses);
  io("steps", m.steps);
  io("parts", m.parts);
}

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// The frame with other bytes from `at` on, counted behind its head.
Frame with(const Frame& frame, std::size_t at, std::string_view bytes) {
  Frame other = frame;
  other.header.replace(packed_head_bytes + at, bytes.size(), bytes);
  return other;
}

TEST(Packed, RefusalsNameTheLinkTheMessageAndWhatIsWrong) {
  const Frame slice = to_packed(WorkerRequest(Slice{{1}, {stats::Phase::steady, 7, {5, 500, 1, true}}}));
  const auto refusal = [&](const Frame& frame, const char* says) {
    EXPECT_THAT([&] { parse_worker_request(frame); },
                ThrowsMessage<PeerLost>(AllOf(HasSubstr("worker request: a packed message slice"), HasSubstr(says))));
  };
  EXPECT_NO_THROW(parse_worker_request(slice));
  refusal(with(slice, 5, "\x04"), "a phase is not first, warmup, reentry or steady");
  refusal(with(slice, 5, "\x09"), "a choice is unknown");
  refusal(with(slice, 17, "\xff"), "a number is negative");
  refusal(with(slice, 34, "\x02"), "a flag is neither 0 nor 1");
  refusal({slice.header.substr(0, slice.header.size() - 1), ""}, "ends too early");
  refusal({slice.header + "x", ""}, "more follows than its fields");
  EXPECT_THAT([&] { parse_worker_request(with(slice, 0, "\x63")); },
              ThrowsMessage<PeerLost>(HasSubstr("its number is no message's")));
}

TEST(Packed, AWorkerTellsNoFactThatIsNotItsOwn) {
  Samples samples{{1}, true, testing::some_samples()};
  sweep::set(samples.facts, sweep::Fact::input_wait, 2.0);
  EXPECT_NO_THROW(parse_worker_reply(to_packed(WorkerReply(samples))));
  sweep::set(samples.facts, sweep::Fact::input_wait, -2.0);
  EXPECT_THROW(parse_worker_reply(to_packed(WorkerReply(samples))), PeerLost);
  sweep::set(samples.facts, sweep::Fact::input_wait, 0.0);
  sweep::set(samples.facts, sweep::Fact::why_stopped, sweep::WhyStopped::decided);
  EXPECT_THAT([&] { parse_worker_reply(to_packed(WorkerReply(samples))); },
              ThrowsMessage<PeerLost>(HasSubstr("a fact that no worker tells")));
}

TEST(Packed, SamplesThatCannotBeAreRefused) {
  Samples samples{{1}, true, testing::some_samples()};
  samples.samples.back().seconds = -1;
  EXPECT_THROW(parse_worker_reply(to_packed(WorkerReply(samples))), PeerLost);
}

TEST(Packed, AGrantBringsATaskForEachOfItsBlocks) {
  EXPECT_THROW(to_packed(AgentRequest(Grant{{1}, 2, {1}, {}, {}, {}, testing::some_tasks(1)})), InternalError);
}

template <class Link>
std::string layout_of() {
  Layout layout;
  layout.link(std::type_identity<Link>());
  return layout.text();
}

TEST(Packed, ALayoutTellsFieldsTheirTypesAndTheirOrder) {
  EXPECT_NE((layout_of<std::variant<LayoutOne>>()), (layout_of<std::variant<LayoutOther>>()));
  EXPECT_NE((layout_of<std::variant<LayoutOther, LayoutOne>>()), (layout_of<std::variant<LayoutOne, LayoutOther>>()));
  EXPECT_EQ((layout_of<std::variant<LayoutOther>>()), "other losses:[[f8]] steps:?i8 parts:{(steps:i8 )} ");
  EXPECT_NE(packed_layout(), "");
  EXPECT_EQ(packed_layout(), packed_layout());
}

}  // namespace
}  // namespace regatta::protocol
