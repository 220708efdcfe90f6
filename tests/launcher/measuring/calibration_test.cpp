#include "measuring/calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "children/children.hpp"
#include "launcher/host/machine_tree.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

constexpr const char* example =
    R"({"threads": 2, "isa": "avx512", "core_peak_flops_per_second": 2e11, "peak_flops_per_second": 3e11,
        "memory_bytes_per_second": 2e10, "copy_bytes_per_second": 1e10})";
constexpr const char* device_example =
    R"({"uuid": "GPU-1", "name": "A GPU", "fp32_flops_per_second": 5e13, "tf32_flops_per_second": 4e14,
        "bf16_flops_per_second": null, "memory_bytes_per_second": 4e12, "upload_bytes_per_second": 5e10,
        "download_bytes_per_second": 5e10, "launch_seconds": 2e-6, "node_seconds": 1e-6})";

/// A cache folder, a worker's file, and a measurement that counts how often it is asked for.
class CalibrationCache : public ::testing::Test {
 protected:
  CalibrationCache() {
    files_.write("worker", "one build");
    site_.host.name = "node-1";
    site_.host.cpu_model = "A CPU";
    site_.cpus = {0, 1};
    site_.worker = files_.path("worker");
  }

  double peak() {
    const auto found = load_or_measure_calibration(site_, cache_, [&] {
      ++measured_;
      auto fresh = parse_calibration(example);
      fresh.core_peak_flops_per_second = measured_;
      return std::optional(fresh);
    });
    return found.value().core_peak_flops_per_second;
  }

  std::filesystem::path cache_file() {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(cache_)) found.push_back(entry.path());
    EXPECT_EQ(found.size(), 1U);
    return found.at(0);
  }

  void set_age(double seconds) {
    auto json = nlohmann::json::parse(read_file(cache_file()));
    json["calibration"]["measured_wall_seconds"] = wall_seconds() - seconds;
    write_file_atomically(cache_file(), json.dump());
  }

  MachineTree files_;
  std::filesystem::path cache_ = files_.path("cache/regatta");
  CalibrationSite site_;
  int measured_ = 0;
};

TEST_F(CalibrationCache, IsMeasuredOnceForADevice) {
  EXPECT_EQ(peak(), 1);
  EXPECT_EQ(peak(), 1);
  EXPECT_EQ(measured_, 1);
}

TEST_F(CalibrationCache, KeepsEveryFigureAndItsDate) {
  const double before = wall_seconds();
  peak();
  const auto known = load_or_measure_calibration(site_, cache_, [] { return std::nullopt; }).value();
  EXPECT_EQ(known.threads, 2);
  EXPECT_EQ(known.isa, "avx512");
  EXPECT_EQ(known.peak_flops_per_second, 3e11);
  EXPECT_EQ(known.memory_bytes_per_second, 2e10);
  EXPECT_EQ(known.copy_bytes_per_second, 1e10);
  EXPECT_GE(known.measured_wall_seconds, before);
  EXPECT_LE(known.measured_wall_seconds, wall_seconds());
}

TEST_F(CalibrationCache, AnotherHostOtherCoresAndAnotherBuildAreOtherDevices) {
  EXPECT_EQ(peak(), 1);
  site_.host.name = "node-2";
  EXPECT_EQ(peak(), 2);
  site_.cpus = {2, 3};
  EXPECT_EQ(peak(), 3);
  site_.host.cpu_model = "Another CPU";
  EXPECT_EQ(peak(), 4);
  files_.write("worker", "another build");
  EXPECT_EQ(peak(), 5);
  EXPECT_EQ(peak(), 5);
}

TEST_F(CalibrationCache, AWorkerOfTheSameSizeButAnotherDateIsAnotherBuild) {
  EXPECT_EQ(peak(), 1);
  std::filesystem::last_write_time(site_.worker,
                                   std::filesystem::last_write_time(site_.worker) + std::chrono::hours(1));
  EXPECT_EQ(peak(), 2);
}

TEST_F(CalibrationCache, ExpiresAfterADay) {
  peak();
  set_age(23.9 * 3600);
  EXPECT_EQ(peak(), 1);
  set_age(24.1 * 3600);
  EXPECT_EQ(peak(), 2);
  EXPECT_EQ(peak(), 2);
}

TEST_F(CalibrationCache, IsNotTrustedWhenItComesFromTheFuture) {
  peak();
  set_age(-3600);
  EXPECT_EQ(peak(), 2);
}

TEST_F(CalibrationCache, ADamagedFileIsMeasuredAgainAndReplaced) {
  peak();
  const std::string whole = read_file(cache_file());
  int expected = 1;
  for (const std::string& damaged : {std::string(), std::string("{"), whole.substr(0, whole.size() / 2),
                                     std::string("[1]"), std::string(R"({"site": 1, "calibration": {}})")}) {
    write_file_atomically(cache_file(), damaged);
    CaptureStderr();
    EXPECT_EQ(peak(), ++expected) << damaged;
    EXPECT_THAT(GetCapturedStderr(), HasSubstr("calibrating again"));
    EXPECT_EQ(peak(), expected);
  }
}

TEST_F(CalibrationCache, AFileOfAnotherSiteUnderItsNameIsNotUsed) {
  peak();
  auto json = nlohmann::json::parse(read_file(cache_file()));
  json["site"] = "elsewhere";
  write_file_atomically(cache_file(), json.dump());
  EXPECT_EQ(peak(), 2);
}

TEST_F(CalibrationCache, WhereNothingCanBeWrittenEachRunMeasuresAndSaysSo) {
  files_.write("cache", "a file where the folder should be");
  for (int run = 1; run <= 2; ++run) {
    CaptureStderr();
    EXPECT_EQ(peak(), run);
    EXPECT_THAT(GetCapturedStderr(), HasSubstr("cannot be kept"));
  }
}

TEST_F(CalibrationCache, WithoutACacheFolderNothingIsWrittenElsewhere) {
  cache_ = "";
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(files_.path("."));
  CaptureStderr();
  EXPECT_EQ(peak(), 1);
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("HOME"));
  std::filesystem::current_path(here);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(files_.path(".")), {}), 1) << "the worker only";
}

TEST_F(CalibrationCache, AFailedMeasurementIsNotRemembered) {
  EXPECT_FALSE(load_or_measure_calibration(site_, cache_, [] { return std::nullopt; }));
  EXPECT_EQ(peak(), 1);
}

TEST_F(CalibrationCache, ADeviceIsRememberedByItsUuidBesideTheCores) {
  DeviceSite site{{sweep::DeviceKind::cuda, "NVIDIA H200", "GPU-1", 0}, {0}, files_.path("worker")};
  int measured = 0;
  const auto rate = [&] {
    return load_or_measure_device_rates(site, cache_,
                                        [&] {
                                          auto fresh = parse_device_rates(device_example);
                                          fresh.uuid = site.device.uuid;
                                          fresh.tf32_flops_per_second = ++measured;
                                          return std::optional(fresh);
                                        })
        .value();
  };
  EXPECT_EQ(peak(), 1);
  EXPECT_EQ(rate().tf32_flops_per_second, 1);
  EXPECT_EQ(rate().tf32_flops_per_second, 1) << "remembered";
  EXPECT_TRUE(std::isnan(rate().bf16_flops_per_second));
  site.device.index = 3;
  EXPECT_EQ(rate().tf32_flops_per_second, 1) << "the same device in another order";
  site.device.uuid = "GPU-2";
  EXPECT_EQ(rate().tf32_flops_per_second, 2);
  EXPECT_EQ(peak(), 1) << "the cores' own file";
}

TEST(Calibration, OfADeviceRefusesWhatCannotBeTrue) {
  EXPECT_THROW(parse_device_rates("{}"), PeerLost);
  for (const char* field : {"fp32_flops_per_second", "node_seconds"}) {
    auto json = nlohmann::json::parse(device_example);
    json[field] = 0.0;
    EXPECT_THROW(parse_device_rates(json.dump()), PeerLost) << field;
  }
  auto json = nlohmann::json::parse(device_example);
  json["uuid"] = "";
  EXPECT_THROW(parse_device_rates(json.dump()), PeerLost) << "nobody knows which";
}

TEST(Calibration, TravelsAsJsonWithUnknownPeaks) {
  auto calibration = parse_calibration(example);
  calibration.core_peak_flops_per_second = std::nan("");
  const auto read = parse_calibration(to_json(calibration));
  EXPECT_TRUE(std::isnan(read.core_peak_flops_per_second));
  EXPECT_EQ(read.copy_bytes_per_second, 1e10);
}

TEST(Calibration, RefusesWhatCannotBeTrue) {
  for (const char* text : {"", "{}", "7"}) EXPECT_THROW(parse_calibration(text), PeerLost) << text;
  for (const char* field : {"core_peak_flops_per_second", "copy_bytes_per_second", "threads"}) {
    for (double value : {0.0, -1.0}) {
      auto json = nlohmann::json::parse(example);
      json[field] = value;
      EXPECT_THROW(parse_calibration(json.dump()), PeerLost) << field;
    }
  }
}

/// A shell script in the worker's place.
class MeasureCalibration : public ::testing::Test {
 protected:
  MeasureCalibration() {
    SpawnerKeeper keeper = start_spawner_keeper();
    keeper_pid_ = keeper.pid;
    client_.emplace(std::move(keeper), [] { return 1.0; });
  }
  ~MeasureCalibration() override {
    client_.reset();
    ::waitpid(keeper_pid_, nullptr, 0);
  }

  std::optional<results::Calibration> measure(const std::string& script) {
    files_.write("worker", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(files_.path("worker"), std::filesystem::perms::owner_all);
    return run(files_.path("worker"));
  }
  std::optional<results::Calibration> run(const std::filesystem::path& worker) {
    CaptureStderr();
    const auto result = measure_calibration({{}, {0}, worker}, *client_, files_.path("log"));
    warning_ = GetCapturedStderr();
    return result;
  }

  MachineTree files_;
  pid_t keeper_pid_ = -1;
  std::optional<SpawnerClient> client_;
  std::string warning_;
};

TEST_F(MeasureCalibration, AsksTheWorkerForTheDeviceOfTheSlotAndBelievesNoOther) {
  const std::string answer =
      std::string(R"([ "$*" = "calibrate --device cuda --index 2" ] || exit 9; echo ')") + device_example + "'";
  files_.write("worker", "#!/bin/sh\n" + answer + "\n");
  std::filesystem::permissions(files_.path("worker"), std::filesystem::perms::owner_all);
  DeviceSite site{{sweep::DeviceKind::cuda, "A GPU", "GPU-1", 2}, {0}, files_.path("worker")};
  const auto found = measure_device_rates(site, *client_, files_.path("log"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tf32_flops_per_second, 4e14);
  site.device.uuid = "GPU-2";
  CaptureStderr();
  EXPECT_FALSE(measure_device_rates(site, *client_, files_.path("log")));
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("this slot's device could not be calibrated (it is GPU-1, not GPU-2)"));
}

TEST_F(MeasureCalibration, AsksTheWorkerForTheCoresOfTheSlot) {
  const auto found = measure(std::string(R"([ "$*" = "calibrate --threads 1" ] || exit 9; echo ')") + example + "'");
  ASSERT_TRUE(found) << warning_;
  EXPECT_EQ(found->core_peak_flops_per_second, 2e11);
  EXPECT_EQ(warning_, "");
}

TEST_F(MeasureCalibration, AWorkerThatFailsIsAWarningNotAnEnd) {
  EXPECT_FALSE(measure("echo no such luck >&2; exit 3"));
  EXPECT_THAT(warning_, HasSubstr("no such luck"));
  EXPECT_FALSE(measure("echo nonsense"));
  EXPECT_THAT(warning_, HasSubstr("could not be calibrated"));
  EXPECT_FALSE(measure("kill -9 $$"));
  EXPECT_FALSE(run(files_.path("missing")));
  EXPECT_THAT(warning_, HasSubstr("missing"));
}

}  // namespace
}  // namespace regatta::launcher
