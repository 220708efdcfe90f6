#include "regatta/protocol/framing.hpp"

#include <gmock/gmock.h>

#include <random>

#include "protocol/messages.hpp"
#include "regatta/base/error.hpp"

namespace regatta::protocol {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Framing, TheHeaderSaysHowLongThePayloadIs) {
  EXPECT_EQ(encode({R"({"type":"stop"})", ""}), "{\"type\":\"stop\"}\n");
  EXPECT_EQ(encode({R"({"type":"x"})", "a\nb"}), "{\"type\":\"x\",\"bytes\":3}\na\nb");
}

TEST(Framing, FramesSurviveAnyCutsOfTheStream) {
  std::string stream;
  std::vector<Frame> sent = testing::all_frames(testing::Form::json);
  for (const Frame& packed : testing::all_frames(testing::Form::packed))  // in turns
    sent.insert(sent.begin() + static_cast<std::ptrdiff_t>(sent.size() / 2), packed);
  for (const Frame& frame : sent) stream += encode(frame);
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    FrameReader reader;
    std::vector<Frame> received;
    std::size_t at = 0;
    const std::size_t longest = std::uniform_int_distribution<std::size_t>(1, 400)(random);
    while (at < stream.size()) {
      const std::size_t piece = std::uniform_int_distribution<std::size_t>(1, longest)(random);
      reader.feed(std::string_view(stream).substr(at, piece));
      at += piece;
      while (auto frame = reader.next()) received.push_back(*std::move(frame));
    }
    ASSERT_EQ(received.size(), sent.size());
    EXPECT_TRUE(reader.empty());
    for (std::size_t i = 0; i < sent.size(); ++i) {
      ASSERT_EQ(received[i].payload, sent[i].payload);
      ASSERT_EQ(is_packed(received[i]), is_packed(sent[i]));
      if (is_packed(sent[i])) {
        ASSERT_EQ(received[i].header, sent[i].header);
      }
    }
  }
}

TEST(Framing, APackedFrameSaysHowLongItIs) {
  const std::string body(300, 'x');
  const std::string bytes = std::string("\x01\x2c\x01\0\0", 5) + body;
  EXPECT_EQ(encode({bytes, ""}), bytes);
  FrameReader reader;
  reader.feed(bytes.substr(0, 4));
  EXPECT_FALSE(reader.next());
  reader.feed(bytes.substr(4));
  EXPECT_EQ(reader.next().value().header, bytes);
  EXPECT_TRUE(reader.empty());
}

TEST(Framing, RefusesAPackedFrameThatIsTooLarge) {
  FrameReader reader;
  reader.feed("\x01\xff\xff\xff\xff");
  EXPECT_THAT([&] { reader.next(); }, ThrowsMessage<PeerLost>(HasSubstr("a packed frame of 4294967295 bytes")));
}

TEST(Framing, AMessageIsOneWholeFrame) {
  for (const testing::Form form : {testing::Form::json, testing::Form::packed}) {
    const std::string bytes = encode(testing::all_frames(form).back());
    EXPECT_EQ(encode(decode(bytes)), bytes);
    EXPECT_THROW(decode(bytes + bytes), PeerLost);
    EXPECT_THROW(decode(bytes.substr(0, bytes.size() - 1)), PeerLost);
    EXPECT_THROW(decode(bytes + "x"), PeerLost);
  }
  EXPECT_THROW(decode(""), PeerLost);
  EXPECT_THROW(decode("\x01"), PeerLost);
}

TEST(Framing, AFrameThatWasReadCanBeSentOn) {
  FrameReader reader;
  reader.feed(encode({R"({"type":"x"})", "abc"}));
  const Frame relayed = reader.next().value();
  reader.feed(encode(relayed));
  EXPECT_EQ(reader.next().value().payload, "abc");
}

TEST(Framing, ABytesKeyOfAnInnerObjectIsNoPayload) {
  FrameReader reader;
  reader.feed("{\"type\":\"x\",\"inner\":{\"bytes\":9}}\n");
  EXPECT_EQ(reader.next().value().payload, "");
}

TEST(Framing, RefusesWhatIsNotAFrame) {
  for (const char* line : {"hello\n", "\n", "[]\n", "{\"bytes\":-1}\n", "{\"bytes\":1.5}\n", "{\"bytes\":\"3\"}\n",
                           "{\"bytes\":16777217}\n", "{\"bytes\":18446744073709551616}\n", "{\"bytes\" 3}\n"}) {
    FrameReader reader;
    reader.feed(line);
    EXPECT_THROW(reader.next(), PeerLost) << line;
  }
}

TEST(Framing, RefusesAHeaderThatNeverEnds) {
  FrameReader reader;
  const std::string piece(1 << 16, 'x');
  for (std::size_t fed = piece.size(); fed <= max_header_bytes; fed += piece.size()) {
    reader.feed(piece);
    ASSERT_FALSE(reader.next());
  }
  reader.feed(piece);
  EXPECT_THAT([&] { reader.next(); }, ThrowsMessage<PeerLost>(HasSubstr("longer than 4194304 bytes")));
}

TEST(Framing, RefusesMoreThanItWillHold) {
  FrameReader reader;
  const std::string piece(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 32; ++i) reader.feed(piece);
  EXPECT_THROW(reader.feed(piece), PeerLost);
}

TEST(Framing, HoldsTheLargestFrameAndSendsNoLarger) {
  const std::string header = R"({"type":"x"})";
  const std::size_t overhead = encode({header, "1"}).size() + 7 - 1;  // "bytes" has 8 digits instead of one
  Frame frame{header, std::string(max_frame_bytes - overhead, 'p')};
  FrameReader reader;
  reader.feed(encode(frame));
  EXPECT_EQ(reader.next().value().payload.size(), frame.payload.size());
  frame.payload += 'p';
  EXPECT_THROW(encode(frame), InternalError);
}

TEST(Framing, BoundsDepthAndKeysOfAHeader) {
  const auto read = [](const std::string& inner) {
    FrameReader reader;
    reader.feed("{\"bytes\":0,\"x\":" + inner + "}\n");
    return reader.next();
  };
  EXPECT_TRUE(read(std::string(63, '[') + std::string(63, ']')));
  EXPECT_THAT([&] { read(std::string(1'000'000, '[')); }, ThrowsMessage<PeerLost>(HasSubstr("nested more than 64")));
  std::string keys = "{\"0\":0";
  for (int i = 1; i < 20'000; ++i) keys += ",\"" + std::to_string(i) + "\":0";
  EXPECT_THAT([&] { read(keys + "}"); }, ThrowsMessage<PeerLost>(HasSubstr("more than 16384 keys")));
}

}  // namespace
}  // namespace regatta::protocol
