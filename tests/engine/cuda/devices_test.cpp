#include "engine/cuda/cuda.hpp"
#include "engine/cuda/cuda_test.hpp"

namespace regatta::engine::cuda {
namespace {

class Devices : public CudaTest {};

TEST_F(Devices, AreToldByNameAndUuid) {
  control.set_devices(3, std::int64_t{1} << 30);
  const auto devices = list_devices();
  ASSERT_EQ(devices.size(), 3U);
  for (const PluginDevice& device : devices) {
    EXPECT_THAT(std::string(device.uuid),
                testing::MatchesRegex("GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
    EXPECT_THAT(std::string(device.bus_id), testing::MatchesRegex("[0-9a-f]{8}:[0-9a-f]{2}:[0-9a-f]{2}[.]0"));
    EXPECT_STRNE(device.name, "");
    EXPECT_EQ(device.memory_bytes, std::int64_t{1} << 30);
    EXPECT_EQ(device.compute_capability, 90);
    EXPECT_GT(device.multiprocessors, 0);
  }
  EXPECT_STRNE(devices[0].uuid, devices[1].uuid);
  EXPECT_STRNE(devices[0].bus_id, devices[2].bus_id);
}

TEST_F(Devices, WithoutADriverTheReasonIsOneLine) {
  control.set_driver(0);
  EXPECT_THAT(text_thrown<DeviceError>([] { list_devices(); }),
              testing::AllOf(testing::StartsWith("no NVIDIA driver (cudaErrorInsufficientDriver"),
                             testing::HasSubstr("or take device cpu"), testing::Not(testing::HasSubstr("\n"))));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "no later call meets it";
}

TEST_F(Devices, AnOldDriverIsNamedWithBothVersions) {
  control.set_driver(12040);
  EXPECT_THAT(text_thrown<DeviceError>([] { list_devices(); }),
              testing::AllOf(testing::StartsWith("the NVIDIA driver is too old: it serves CUDA 12.4"),
                             testing::HasSubstr("built with 13.0")));
}

TEST_F(Devices, ADriverThatShowsNoneIsNamed) {
  control.set_devices(0, 0);
  EXPECT_THAT(text_thrown<DeviceError>([] { list_devices(); }),
              testing::AllOf(testing::StartsWith("no NVIDIA device that this process may use"),
                             testing::HasSubstr("CUDA_VISIBLE_DEVICES")));
}

TEST_F(Devices, VersionsOfDriverAndLibrariesAreTold) {
  EXPECT_THAT(versions(), testing::MatchesRegex("(driver [0-9.]+|no driver), runtime 13[.][0-9]+, "
                                                "cuBLASLt 1[0-9][.][0-9.]+, cuDNN .*"));
}

}  // namespace
}  // namespace regatta::engine::cuda
