#include "regatta/results/machine_json.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "regatta/base/error.hpp"
#include "results/files_and_messages.hpp"
#include "results/rows/row_tables.hpp"

namespace regatta::results {
namespace {

TEST(MachineJson, HostComesBackAsItWas) {
  const Host host{"n1", "A \"9\"", 2, 64, std::int64_t{1} << 40, "6.1", "performance", "node-7"};
  EXPECT_TRUE(same_host(parse_host(to_json(host)), host));
}

TEST(MachineJson, WhatIsUnknownOfACalibrationStaysUnknown) {
  Calibration calibration;
  calibration.threads = 2;
  calibration.isa = "avx2";
  calibration.memory_bytes_per_second = 1e10;
  const Calibration read = parse_calibration(to_json(calibration));
  EXPECT_EQ(read.threads, 2);
  EXPECT_EQ(read.isa, "avx2");
  EXPECT_EQ(read.memory_bytes_per_second, 1e10);
  EXPECT_TRUE(std::isnan(read.peak_flops_per_second));
  EXPECT_EQ(read.device.uuid, "") << "no device was calibrated";
}

TEST(MachineJson, ADeviceIsCalibratedBesideItsCores) {
  Calibration calibration;
  calibration.threads = 1;
  calibration.device.uuid = "GPU-1";
  double figure = 1e9;
  for (const DeviceRate& rate : device_rates) calibration.device.*rate.value = figure += 1;
  calibration.device.node_seconds = std::nan("");
  const DeviceRates read = parse_calibration(to_json(calibration)).device;
  EXPECT_EQ(read.uuid, "GPU-1");
  for (const DeviceRate& rate : device_rates) {
    if (rate.value == &DeviceRates::node_seconds) continue;
    EXPECT_EQ(read.*rate.value, calibration.device.*rate.value) << rate.key;
  }
  EXPECT_TRUE(std::isnan(read.node_seconds));
  EXPECT_EQ(parse_device_rates(to_json(read)).tf32_flops_per_second, read.tf32_flops_per_second);
}

TEST(MachineJson, NamesWhatIsMissing) {
  EXPECT_THAT(message_of<InputError>([] { parse_host(R"({"name": "n"})"); }), testing::HasSubstr("cpu_model"));
  EXPECT_THAT(message_of<InputError>([] { parse_calibration("{}"); }), testing::HasSubstr("threads"));
  EXPECT_THAT(message_of<InputError>([] { parse_device_rates(R"({"uuid": "u"})"); }),
              testing::HasSubstr("fp32_flops_per_second"));
  EXPECT_THROW(parse_host("{"), InputError);
}

}  // namespace
}  // namespace regatta::results
