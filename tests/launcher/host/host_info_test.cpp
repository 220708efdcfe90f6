#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "host/host.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

TEST(HostInfo, DescribesThisMachine) {
  const results::Host host = read_host();
  std::array<char, 256> name{};
  ASSERT_EQ(::gethostname(name.data(), name.size()), 0);
  EXPECT_EQ(host.name, name.data());
  EXPECT_FALSE(host.kernel.empty());
  EXPECT_GE(host.cores, 1);
  EXPECT_LE(host.cores, ::sysconf(_SC_NPROCESSORS_CONF));
  EXPECT_GE(host.sockets, 1);
  EXPECT_GT(host.memory_bytes, std::int64_t{64} << 20);
}

TEST(HostInfo, TravelsAsJson) {
  const results::Host host{"node-1", "A \"CPU\" @ 2 GHz", 2, 64, std::int64_t{1} << 40, "6.1.0", "performance", "n1"};
  const results::Host read = parse_host(to_json(host));
  EXPECT_EQ(read.name, host.name);
  EXPECT_EQ(read.cpu_model, host.cpu_model);
  EXPECT_EQ(read.sockets, host.sockets);
  EXPECT_EQ(read.cores, host.cores);
  EXPECT_EQ(read.memory_bytes, host.memory_bytes);
  EXPECT_EQ(read.kernel, host.kernel);
  EXPECT_EQ(read.governor, host.governor);
  EXPECT_EQ(read.node, host.node);
}

TEST(HostInfo, IsNotBrokenByBytesThatAreNoText) {
  results::Host host;
  host.cpu_model = "model \xff";
  EXPECT_EQ(parse_host(to_json(host)).cpu_model, "model \xef\xbf\xbd");
}

TEST(HostInfo, RefusesWhatItDidNotWrite) {
  EXPECT_THROW(parse_host(""), PeerLost);
  EXPECT_THROW(parse_host("{}"), PeerLost);
  EXPECT_THROW(parse_host(R"({"name": 3})"), PeerLost);
}

}  // namespace
}  // namespace regatta::launcher
