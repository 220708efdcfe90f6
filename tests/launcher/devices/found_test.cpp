#include "devices/found.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "regatta/base/error.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

constexpr const char* answer = R"({"cuda": {"plugin": "/b/libregatta_cuda.so", "versions": "driver 13.0", "problem": "",
 "devices": [{"index": 0, "name": "NVIDIA H200", "uuid": "GPU-1", "bus_id": "00000000:3B:00.0", "memory_bytes": 5,
              "compute_capability": "9.0", "multiprocessors": 132},
             {"index": 1, "name": "NVIDIA H200", "uuid": "GPU-2", "bus_id": "", "memory_bytes": 5,
              "compute_capability": "9.0", "multiprocessors": 132}]}})";

class FoundDevicesTest : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
    std::filesystem::permissions(root_ / name, std::filesystem::perms::owner_all);
    return root_ / name;
  }

  support::TemporaryFolder root_;
};

TEST_F(FoundDevicesTest, AreReadFromTheWorkersAnswer) {
  const auto worker =
      write("worker", std::string("#!/bin/sh\n[ \"$1\" = devices ] && cat <<'EOF'\n") + answer + "\nEOF\n");
  const FoundDevices found = find_devices(worker, sweep::DeviceKind::cuda);
  EXPECT_EQ(found.problem, "");
  EXPECT_EQ(found.plugin, "/b/libregatta_cuda.so");
  EXPECT_EQ(found.versions, "driver 13.0");
  ASSERT_EQ(found.devices.size(), 2U);
  EXPECT_EQ(found.devices[1].device, (sweep::SlotDevice{sweep::DeviceKind::cuda, "NVIDIA H200", "GPU-2", 1}));
  EXPECT_EQ(found.devices[0].bus_id, "00000000:3B:00.0");
  EXPECT_EQ(found.devices[0].compute_capability, "9.0");
  EXPECT_EQ(found.devices[0].memory_bytes, 5);
}

TEST_F(FoundDevicesTest, AreNoneWhereTheWorkerDiesOrSaysSomethingElse) {
  EXPECT_NE(find_devices(write("dead", "#!/bin/sh\nkill -9 $$\n"), sweep::DeviceKind::cuda).problem, "");
  EXPECT_NE(find_devices(write("odd", "#!/bin/sh\necho hello\n"), sweep::DeviceKind::cuda).problem, "");
  EXPECT_NE(find_devices(root_ / "nowhere", sweep::DeviceKind::cuda).problem, "");
  EXPECT_THROW(parse_found_devices(R"({"cuda": {"devices": 7}})", sweep::DeviceKind::cuda), PeerLost);
}

TEST_F(FoundDevicesTest, StandBesideTheCoresThatTheKernelNames) {
  write("bus/pci/devices/0000:3b:00.0/local_cpulist", "0-2,8\n");
  EXPECT_EQ(cores_near(root_.path(), "00000000:3B:00.0"), (std::vector<int>{0, 1, 2, 8}));
  EXPECT_EQ(cores_near(root_.path(), "00000000:3C:00.0"), std::vector<int>{});
  EXPECT_EQ(cores_near(root_.path(), ""), std::vector<int>{});
}

TEST(VisibleName, IsWhatTheBatchSystemCallsTheDevice) {
  EXPECT_EQ(visible_name("", 1), "1");
  EXPECT_EQ(visible_name("3,5", 1), "5");
  EXPECT_EQ(visible_name("MIG-1,GPU-2", 0), "MIG-1");
}

}  // namespace
}  // namespace regatta::launcher
