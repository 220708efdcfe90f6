#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "doctor/doctor.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

using ::testing::HasSubstr;
using State = DoctorLine::State;

/// A machine made of files.
class Doctor : public ::testing::Test {
 protected:
  Doctor() {
    write("proc/meminfo", "MemTotal:  8388608 kB\nMemAvailable:  4194304 kB\nSwapTotal:  0 kB\nSwapFree:  0 kB\n");
  }

  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }

  std::string script(const std::string& name, const std::string& text) {
    write(name, "#!/bin/sh\n" + text + "\n");
    std::filesystem::permissions(root_ / name, std::filesystem::perms::owner_all);
    return (root_ / name).string();
  }

  DoctorLine line(const std::string& what, std::size_t cores = 4) {
    const auto lines = examine_machine({root_ / "proc", root_ / "sys", root_ / "shm"}, cores);
    const auto found = std::ranges::find(lines, what, &DoctorLine::what);
    return found == lines.end() ? DoctorLine{"nothing of that name", State::missing, "", ""} : *found;
  }

  support::TemporaryFolder root_;
};

TEST_F(Doctor, FindsNothingWrongWithAQuietMachine) {
  for (const char* what : {"memory", "swap", "CPU quota", "frequency", "power", "core kinds"}) {
    EXPECT_EQ(line(what).state, State::ok) << what;
    EXPECT_EQ(line(what).advice, "") << what;
  }
  EXPECT_EQ(line("memory").detail, "4.0 GiB of 8.0 GiB available");
}

TEST_F(Doctor, SeesScarceMemoryAndUsedSwap) {
  write("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 1024 kB\nSwapTotal: 2048 kB\nSwapFree: 1024 kB\n");
  EXPECT_EQ(line("memory").state, State::degraded);
  EXPECT_EQ(line("swap").state, State::degraded);
  EXPECT_THAT(line("swap").detail, HasSubstr("1.0 MiB of 2.0 MiB in use"));
}

TEST_F(Doctor, SeesMissingSharedMemory) {
  EXPECT_EQ(line("shared memory").state, State::missing);
  std::filesystem::create_directory(root_ / "shm");
  EXPECT_NE(line("shared memory").state, State::missing);
}

TEST_F(Doctor, SeesACpuQuotaOfThisGroupOrOfOneAbove) {
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  EXPECT_EQ(line("CPU quota", 2).state, State::degraded);
  EXPECT_THAT(line("CPU quota", 2).detail, HasSubstr("1.5 cores' worth of time on 2 cores"));
  EXPECT_EQ(line("CPU quota", 1).state, State::ok);
}

TEST_F(Doctor, SeesACpuQuotaOfTheFirstVersionOfControlGroups) {
  write("proc/self/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(line("CPU quota").state, State::ok);
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n");
  EXPECT_EQ(line("CPU quota").state, State::degraded);
}

TEST_F(Doctor, SeesAGovernorThatChangesTheClock) {
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  EXPECT_EQ(line("frequency").state, State::ok);
  write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  EXPECT_EQ(line("frequency").state, State::degraded);
  EXPECT_THAT(line("frequency").advice, HasSubstr("performance"));
}

TEST_F(Doctor, SeesABatteryInUse) {
  write("sys/class/power_supply/AC/type", "Mains\n");
  write("sys/class/power_supply/BAT0/type", "Battery\n");
  write("sys/class/power_supply/BAT0/status", "Charging\n");
  EXPECT_EQ(line("power").state, State::ok);
  write("sys/class/power_supply/BAT0/status", "Discharging\n");
  EXPECT_EQ(line("power").state, State::degraded);
}

TEST_F(Doctor, SeesCoresOfTwoKinds) {
  write("sys/devices/system/cpu/cpu0/cpu_capacity", "1024\n");
  write("sys/devices/system/cpu/cpu1/cpu_capacity", "1024\n");
  EXPECT_EQ(line("core kinds").state, State::ok);
  write("sys/devices/system/cpu/cpu1/cpu_capacity", "446\n");
  EXPECT_EQ(line("core kinds").state, State::degraded);
}

TEST_F(Doctor, SeesCoresOfTwoKindsAsIntelTellsThem) {
  write("sys/devices/cpu_core/cpus", "0-3");
  write("sys/devices/cpu_atom/cpus", "4-7");
  EXPECT_EQ(line("core kinds").state, State::degraded);
}

TEST_F(Doctor, SaysWhatToDoAboutEverythingThatIsNotWell) {
  write("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 1024 kB\nSwapTotal: 2048 kB\nSwapFree: 1024 kB\n");
  write("sys/devices/cpu_core/cpus", "0-3");
  write("sys/devices/cpu_atom/cpus", "4-7");
  for (const DoctorLine& each : examine_machine({root_ / "proc", root_ / "sys", root_ / "shm"}, 4))
    EXPECT_EQ(each.advice.empty(), each.state == State::ok) << each.what;
}

TEST_F(Doctor, SeesLimitsOnSizes) {
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(line("file size").state, before.rlim_cur == RLIM_INFINITY ? State::ok : State::degraded);
  const rlimit tight{std::min<rlim_t>(before.rlim_max, rlim_t{1} << 30), before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &tight);
  const DoctorLine limited = line("file size");
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(limited.state, State::degraded);
  EXPECT_EQ(limited.detail, "1.0 GiB (result files may be cut short)");
  EXPECT_EQ(limited.advice, "ulimit -f unlimited");
}

TEST_F(Doctor, SeesSlotsAndThatOneCoreIsTooFew) {
  EXPECT_EQ(slots_line({{"cpu", "cores 0,1", {0, 1}}, {"cpu", "cores 2", {2}}}, 3).detail,
            "2 measuring slots, one for each memory domain");
  const DoctorLine single = slots_line({{"cpu", "cores 0", {0}}}, 1);
  EXPECT_EQ(single.state, State::degraded);
  EXPECT_EQ(single.advice, "give the job a second core");
}

TEST_F(Doctor, SeesGpusTheirDriverAndWhetherAnythingUsesThem) {
  const MachineFolders folders{root_ / "proc", root_ / "sys", root_ / "shm"};
  EngineFound on_cores{"numpy", "", "1", {}, {"cpu"}, ""};
  EngineFound on_gpus{"torch", "", "2", {}, {"cpu", "cuda"}, ""};
  EXPECT_EQ(gpu_line(folders, {on_cores}).detail, "none found");
  write("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
  write("sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
  EXPECT_EQ(gpu_line(folders, {on_cores}).state, State::missing);
  EXPECT_EQ(gpu_line(folders, {on_cores}).detail, "an NVIDIA card, but no driver for it");
  write("proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t\t NVIDIA H100\nIRQ: 5\n");
  EXPECT_EQ(gpu_line(folders, {on_cores}).state, State::degraded);
  EXPECT_EQ(gpu_line(folders, {on_cores}).detail, "NVIDIA H100 (no engine that is found here uses it)");
  EXPECT_EQ(gpu_line(folders, {on_cores, on_gpus}).state, State::ok);
  on_gpus.problem = "not installed";
  EXPECT_EQ(gpu_line(folders, {on_gpus}).state, State::degraded);
}

TEST_F(Doctor, NamesTheMissingPieceOfCudaAndWhatToDo) {
  const MachineFolders folders{root_ / "proc", root_ / "sys", root_ / "shm"};
  FoundDevices found{"/b/libregatta_cuda.so", "no driver, runtime 13.0", "no NVIDIA driver (x; y); install one", {}};
  const DoctorLine nothing = cuda_line(folders, found);
  EXPECT_EQ(nothing.state, State::missing);
  EXPECT_EQ(nothing.detail, "no NVIDIA driver (x; y) (no driver, runtime 13.0)");
  EXPECT_EQ(nothing.advice, "install one");
  write("proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: NVIDIA H200\n");
  EXPECT_EQ(cuda_line(folders, found).state, State::degraded);
  found.problem = "";
  found.versions = "driver 13.0, runtime 13.0";
  EXPECT_EQ(cuda_line(folders, found).state, State::ok);
  EXPECT_EQ(cuda_line(folders, found).detail, "driver 13.0, runtime 13.0");
  EXPECT_EQ(cuda_line(folders, {"", "", "it does not answer", {}}).advice, "nvidia-smi shows more");
}

TEST_F(Doctor, ShowsEachGpuAsItsCheckFoundIt) {
  const FoundDevice device{{sweep::DeviceKind::cuda, "NVIDIA H200", "GPU-1", 1}, "", std::int64_t{1} << 30, "9.0"};
  DeviceHealth health;
  health.write_bytes_per_second = 25e9;
  health.read_bytes_per_second = 24e9;
  health.product_flops_per_second = 50e12;
  EXPECT_EQ(device_line(device, health).what, "GPU 1");
  EXPECT_EQ(device_line(device, health).detail,
            "NVIDIA H200 (GPU-1), 1.0 GiB, compute capability 9.0: copies to it 25 GB/s, from it 24 GB/s, products 50 "
            "TFLOP/s");
  health.problem = "the device is busy (another process holds it); end that";
  EXPECT_EQ(device_line(device, health).state, State::degraded);
  EXPECT_EQ(device_line(device, health).detail, "NVIDIA H200 (GPU-1): the device is busy (another process holds it)");
  EXPECT_EQ(device_line(device, health).advice, "end that");
}

/// Programs of a PATH of our own.
class DoctorsCluster : public Doctor {
 protected:
  DoctorsCluster() {
    ::setenv("PATH", (root_ / "bin").c_str(), 1);
    ::unsetenv("SLURM_JOB_ID");
  }
  ~DoctorsCluster() override { ::setenv("PATH", path_.c_str(), 1); }

  [[nodiscard]] static DoctorLine mpi() { return examine_cluster("Open MPI v4.1.4, package: x").at(0); }
  [[nodiscard]] static DoctorLine slurm() { return examine_cluster("Open MPI v4.1.4").at(1); }

 private:
  std::string path_ = std::getenv("PATH");
};

TEST_F(DoctorsCluster, ComparesMpirunWithTheLibraryThatIsLinked) {
  EXPECT_EQ(mpi().state, State::missing);
  script("bin/mpirun", "echo 'mpirun (Open MPI) 4.1.4'");
  EXPECT_EQ(mpi().state, State::ok);
  EXPECT_EQ(mpi().detail, "Open MPI v4.1.4");
  script("bin/mpirun", "echo 'mpirun (Open MPI) 5.0.3'; echo 'Report bugs to 1'");
  EXPECT_EQ(mpi().state, State::degraded);
  EXPECT_EQ(mpi().detail, "Open MPI v4.1.4, but the mpirun in PATH is 5.0.3 (each rank may come up alone)");
  script("bin/mpirun", "exit 1");
  EXPECT_EQ(mpi().detail, "Open MPI v4.1.4, but mpirun does not tell its version (it may not start ranks)");
}

TEST_F(DoctorsCluster, AsksSlurmWhetherItAnswers) {
  EXPECT_EQ(slurm().state, State::missing);
  script("bin/sinfo", "echo 12");
  EXPECT_EQ(slurm().state, State::ok);
  EXPECT_EQ(slurm().detail, "the controller answers; nodes of a partition: 12");
  script("bin/sinfo", "exit 1");
  EXPECT_EQ(slurm().state, State::degraded);
  EXPECT_EQ(slurm().detail, "sinfo is in PATH, but no controller answers (no job can be submitted)");
  ::setenv("SLURM_JOB_ID", "77", 1);
  ::setenv("SLURM_JOB_NUM_NODES", "2", 1);
  EXPECT_EQ(slurm().detail, "inside job 77, nodes: 2");
  ::unsetenv("SLURM_JOB_ID");
  ::unsetenv("SLURM_JOB_NUM_NODES");
}

TEST_F(Doctor, AsksEnginesForTheirVersions) {
  EnvironmentPlaces places;
  places.native_worker = script("regatta-worker", "echo regatta-worker 7.8.9");
  places.interpreters = {script("python", "echo 1.2.3")};
  script("cache/old/bin/python", "echo 0.9");
  places.cache = root_ / "cache";
  std::vector<std::string> rows;
  for (const EngineFound& row : find_engines(places)) {
    if (row.problem.empty()) rows.push_back(row.name + "@" + row.environment + " " + row.version);
  }
  EXPECT_THAT(rows, ::testing::IsSupersetOf({"native@native 7.8.9", "numpy@numpy 1.2.3", "numpy@old 0.9"}));
}

TEST_F(Doctor, SaysWhatIsWrongWithAnEngine) {
  EnvironmentPlaces places;
  places.native_worker = script("regatta-worker", "exit 1");
  places.interpreters = {"/nowhere/python"};
  const auto rows = find_engines(places);
  const auto problem_of = [&](const std::string& name) {
    return std::ranges::find(rows, name, &EngineFound::name)->problem;
  };
  EXPECT_THAT(problem_of("native"), HasSubstr("does not tell its version"));
  EXPECT_THAT(problem_of("numpy"), HasSubstr("numpy is not installed for /nowhere/python"));
}

Diagnosis example() {
  return {{{"numpy", "old", "0.9", {"eager"}, {"cpu"}, ""}, {"jax", "", "", {}, {}, "not here"}},
          {{"cpu", "cores 0,1", {0, 1}}},
          {{"swap", State::degraded, "1 MiB in use", "free memory"}}};
}

TEST(Diagnosis, IsReadable) {
  EXPECT_EQ(to_text(example(), 80),
            "Engines\n"
            "  ok        numpy@old        0.9: eager on cpu\n"
            "  missing   jax              not here\n"
            "Slots\n"
            "  ok        cpu              cores 0,1\n"
            "Machine\n"
            "  degraded  swap             1 MiB in use\n"
            "                             -> free memory\n");
}

TEST(Diagnosis, FitsATerminalOf80Columns) {
  Diagnosis wide = example();
  wide.engines[1].problem =
      "jax is not installed for python3 or /usr/bin/python3; run scripts/setup-engines.sh jax, or name one";
  wide.lines[0].advice = "end other programs, or set limits.memory so that trials fail instead of swapping";
  const std::string text = to_text(wide, 80);
  EXPECT_THAT(text, HasSubstr("\n                             -> end other programs, or set limits.memory so that\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Diagnosis, IsOneJsonDocument) {
  const nlohmann::json json = nlohmann::json::parse(to_json(example()));
  EXPECT_EQ(json["engines"][0], nlohmann::json::parse(R"({"name": "numpy", "environment": "old", "version": "0.9",
      "modes": ["eager"], "devices": ["cpu"], "problem": ""})"));
  EXPECT_EQ(json["devices"][0], nlohmann::json::parse(R"({"kind": "cpu", "name": "cores 0,1", "cores": [0, 1]})"));
  EXPECT_EQ(json["lines"][0], nlohmann::json::parse(R"({"what": "swap", "state": "degraded", "detail": "1 MiB in use",
      "advice": "free memory"})"));
}

TEST(Diagnosis, ListsTheDefaultSlotsOfThisMachine) {
  const Topology topology{{{0, 1}, {2, 3}}};
  EnvironmentPlaces nothing;
  nothing.native_worker = "/nowhere/regatta-worker";
  const Diagnosis diagnosis = diagnose(topology, nothing, "");
  ASSERT_EQ(diagnosis.devices.size(), 2U);
  EXPECT_EQ(diagnosis.devices[1].name, "cores 2,3");
  const auto mpi = std::ranges::find(diagnosis.lines, "MPI", &DoctorLine::what);
  ASSERT_NE(mpi, diagnosis.lines.end());
  EXPECT_EQ(mpi->state, State::missing);
}

}  // namespace
}  // namespace regatta::launcher
