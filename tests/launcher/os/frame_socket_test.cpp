#include "os/frame_socket.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

struct Ends {
  Ends() : Ends(socket_pair()) {}
  explicit Ends(std::pair<UniqueFd, UniqueFd> fds) : here(std::move(fds.first)), there(std::move(fds.second)) {}
  FrameSocket here;
  std::optional<FrameSocket> there;
};

TEST(FrameSocket, CarriesFramesInOrder) {
  Ends ends;
  ends.here.send({R"({"n":1})", ""});
  ends.here.send({R"({"n":2})", "load"});
  EXPECT_TRUE(ends.there->receive_available());
  const auto first = ends.there->next();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->payload, "");
  const auto second = ends.there->next();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->payload, "load");
  EXPECT_FALSE(ends.there->next().has_value());
}

TEST(FrameSocket, CarriesDescriptorsBesideAFrame) {
  Ends ends;
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const UniqueFd reading(pipe[0]);
  UniqueFd writing(pipe[1]);
  ends.here.send({R"({"type":"x"})", ""}, {writing.get()});
  writing.reset();
  ASSERT_TRUE(ends.there->receive_available());
  const auto arrived = ends.there->take_descriptors();
  ASSERT_EQ(arrived.size(), 1U);
  ASSERT_EQ(::write(arrived[0].get(), "x", 1), 1);
  char text = ' ';
  EXPECT_EQ(::read(reading.get(), &text, 1), 1);
  EXPECT_EQ(text, 'x');
  EXPECT_TRUE(ends.there->take_descriptors().empty());
}

TEST(FrameSocket, TellsTheEndOfTheStream) {
  Ends ends;
  ends.there.reset();
  EXPECT_FALSE(ends.here.receive_available());
  EXPECT_THROW(ends.here.send({R"({"type":"x"})", ""}), PeerLost);
}

TEST(FrameSocket, GivesUpOnAPeerThatDoesNotRead) {
  Ends ends;
  const protocol::Frame large{R"({"type":"x"})", std::string(64 << 10, 'x')};
  EXPECT_THROW(
      {
        for (int i = 0; i < 1000; ++i) ends.here.send(large, {}, 0.05);
      },
      PeerLost);
}

TEST(FrameSocket, RefusesWhatIsNoFrame) {
  Ends ends;
  ASSERT_EQ(::write(ends.here.fd(), "\0\xff no\n", 6), 6);
  EXPECT_TRUE(ends.there->receive_available());
  EXPECT_THROW(static_cast<void>(ends.there->next()), PeerLost);
}

}  // namespace
}  // namespace regatta::launcher
