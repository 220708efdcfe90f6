#include "regatta/results/file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstring>

#include "regatta/base/error.hpp"
#include "results/hdf5/seal.hpp"
#include "results/sample_sweep.hpp"
#include "results/temporary_folder.hpp"

namespace regatta::results {
namespace {

using testing::HasSubstr;

/// Results in which every kind of row and outcome stands.
Results varied_results() {
  const TemporaryFolder folder;
  SampleSweep sample = sample_sweep("8, 32, 64");
  {
    StoreWriter writer(folder / "small.regatta", sample.sweep, sample.plan, sample_provenance(sample.sweep.text));
    writer.agent(sample_agent(0));
    writer.result(finished_block(sample.plan, {0}), block_samples(sample.plan, {0}));
    BlockRecord failing = finished_block(sample.plan, {1}, 3);
    failing.arms[2].outcome = sweep::Failed{sweep::FailureKind::timed_out, "no answer in 300 s"};
    writer.result(failing, block_samples(sample.plan, {1}));
    writer.failed_attempt(sample.plan.blocks[1].hash, failing.arms[0].trial, 1, sweep::FailureKind::crashed,
                          "signal 11");
    writer.end_session();
  }
  return collect(folder / "small.regatta");
}

void expect_same(const TrialRow& a, const TrialRow& b) {
  EXPECT_EQ(a.hash, b.hash);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_STREQ(sweep::status_of(a.outcome), sweep::status_of(b.outcome));
  EXPECT_EQ(sweep::reason_of(a.outcome), sweep::reason_of(b.outcome));
  EXPECT_EQ(std::tie(a.attempt, a.env, a.host, a.device), std::tie(b.attempt, b.env, b.host, b.device));
  EXPECT_EQ(std::tie(a.verified, a.verified_detail), std::tie(b.verified, b.verified_detail));
  EXPECT_EQ(a.start_wall_seconds, b.start_wall_seconds);
  EXPECT_EQ(a.end_wall_seconds, b.end_wall_seconds);
  EXPECT_EQ(a.metrics, b.metrics);
}

void expect_same(const SampleRow& a, const SampleRow& b) {
  EXPECT_EQ(a.trial, b.trial);
  EXPECT_EQ(a.block, b.block);
  EXPECT_EQ(std::memcmp(&a.sample, &b.sample, sizeof a.sample), 0);
}

void expect_same(const BlockRow& a, const BlockRow& b) {
  EXPECT_EQ(std::tie(a.hash, a.arms, a.has_baseline, a.attempt), std::tie(b.hash, b.arms, b.has_baseline, b.attempt));
  EXPECT_EQ(std::tie(a.start_wall_seconds, a.end_wall_seconds, a.flags),
            std::tie(b.start_wall_seconds, b.end_wall_seconds, b.flags));
}

void expect_same(const AttemptRow& a, const AttemptRow& b) {
  EXPECT_EQ(std::tie(a.block, a.trial, a.attempt, a.kind, a.message),
            std::tie(b.block, b.trial, b.attempt, b.kind, b.message));
}

void expect_same(const Host& a, const Host& b) {
  EXPECT_EQ(std::tie(a.name, a.cpu_model, a.sockets, a.cores, a.memory_bytes, a.kernel, a.governor),
            std::tie(b.name, b.cpu_model, b.sockets, b.cores, b.memory_bytes, b.kernel, b.governor));
}

void expect_same(const Device& a, const Device& b) {
  EXPECT_EQ(std::tie(a.host, a.kind, a.name, a.flags), std::tie(b.host, b.kind, b.name, b.flags));
}

void expect_same(const Env& a, const Env& b) {
  EXPECT_EQ(std::tie(a.name, a.engine, a.version), std::tie(b.name, b.engine, b.version));
}

template <class Row>
void expect_same(const std::vector<Row>& a, const std::vector<Row>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

void expect_same(const Results& a, const Results& b) {
  EXPECT_EQ(std::tie(a.name, a.complete, a.axis_names, a.other_blocks),
            std::tie(b.name, b.complete, b.axis_names, b.other_blocks));
  expect_same(a.trials, b.trials);
  expect_same(a.samples, b.samples);
  expect_same(a.blocks, b.blocks);
  expect_same(a.failed_attempts, b.failed_attempts);
  expect_same(a.hosts, b.hosts);
  expect_same(a.devices, b.devices);
  expect_same(a.envs, b.envs);
  const Provenance& p = a.provenance;
  const Provenance& q = b.provenance;
  EXPECT_EQ(
      std::tie(p.sweep_json, p.sweep_file, p.command_line, p.regatta_version, p.git_commit, p.created, p.versions),
      std::tie(q.sweep_json, q.sweep_file, q.command_line, q.regatta_version, q.git_commit, q.created, q.versions));
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

TEST(ResultFile, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const Results results = varied_results();
  for (const char* status : {"finished", "failed", "skipped", "lost"}) {
    EXPECT_TRUE(std::ranges::any_of(
        results.trials, [&](const TrialRow& t) { return sweep::status_of(t.outcome) == std::string(status); }))
        << status << " is missing from the example";
  }
  write_results(folder / "small.h5", results);
  expect_same(read_results(folder / "small.h5"), results);
}

TEST(ResultFile, GivesBackResultsWithoutASingleSampleOrBlock) {
  const TemporaryFolder folder;
  Results results;
  results.name = "empty";
  TrialRow row;
  row.outcome = sweep::Skipped{"nothing can run it"};
  results.trials.push_back(row);
  write_results(folder / "empty.h5", results);
  expect_same(read_results(folder / "empty.h5"), results);
}

TEST(ResultFile, KeepsExtremeValues) {
  const TemporaryFolder folder;
  Results results = varied_results();
  results.trials[0].parameters[sweep::Param::batch] = std::numeric_limits<std::int64_t>::max();
  results.trials[1].parameters[sweep::Param::seed] = std::int64_t{0};
  results.trials[0].metrics["of_a_later_version"] = 1e308;
  results.samples[0].sample = {~0U, 0xffff, stats::Phase::reentry, 0xff, ~0U, ~0U, -0.0, 5e-324};
  results.failed_attempts[0].message = std::string(100'000, 'x') + " \xe2\x80\x93 \"\n";
  write_results(folder / "x.h5", results);
  expect_same(read_results(folder / "x.h5"), results);
}

TEST(ResultFile, IsPrivateAndNothingElseIsLeftInTheFolder) {
  const TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  struct stat info {};
  ASSERT_EQ(::stat((folder / "small.h5").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"small.h5"});
}

TEST(ResultFile, SameResultsGiveTheSameBytes) {
  const TemporaryFolder folder;
  const Results results = varied_results();
  write_results(folder / "a.h5", results);
  write_results(folder / "b.h5", results);
  EXPECT_EQ(slurp(folder / "a.h5"), slurp(folder / "b.h5"));
}

TEST(ResultFile, ReplacesAnOlderOneWhole) {
  const TemporaryFolder folder;
  Results results = varied_results();
  write_results(folder / "small.h5", results);
  results.complete = !results.complete;
  write_results(folder / "small.h5", results);
  EXPECT_EQ(read_results(folder / "small.h5").complete, results.complete);
}

TEST(ResultFile, ManySamplesSpanChunks) {
  const TemporaryFolder folder;
  Results results = varied_results();
  const SampleRow last = results.samples.back();
  for (std::uint32_t i = 0; i < 200'000; ++i) {
    results.samples.push_back(last);
    results.samples.back().sample.slice = i;
  }
  write_results(folder / "many.h5", results);
  expect_same(read_results(folder / "many.h5"), results);
  EXPECT_LT(std::filesystem::file_size(folder / "many.h5"), 2'000'000U) << "compression is off";
}

// In a child: a file size limit makes write() fail as a full disk does.
TEST(ResultFile, FullDiskKeepsTheOldFileAndLeavesNoTemporary) {
  const TemporaryFolder folder;
  const Results results = varied_results();
  write_results(folder / "small.h5", results);
  const std::string old = slurp(folder / "small.h5");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_results(folder / "small.h5", results);
    } catch (const StorageError& error) {
      ::_exit(std::string(error.what()).find("cannot write") == std::string::npos ? 2 : 1);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(slurp(folder / "small.h5"), old);
  EXPECT_EQ(names_in(folder.path()).size(), 1U);
}

TEST(ResultFile, FolderThatIsNotThereIsAStorageError) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_results(folder / "none" / "small.h5", varied_results()), StorageError);
}

TEST(ResultFile, MissingOrForeignFileIsAnInputErrorThatNamesIt) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of<InputError>([&] { read_results(folder / "none.h5"); }), HasSubstr("none.h5"));
  spill(folder / "text.h5", "no HDF5 at all");
  testing::internal::CaptureStderr();
  EXPECT_THAT(message_of<InputError>([&] { read_results(folder / "text.h5"); }), HasSubstr("text.h5"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the library's own error stack stays quiet";
}

/// Opens the file with the plain C API, hands it to `change` and seals it again.
template <class Change>
void edit(const std::filesystem::path& file, Change&& change) {
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(id, 0);
  change(id);
  H5Fclose(id);
  const std::string bytes = slurp(file);
  spill(file, bytes + hdf5::seal_of(bytes));
}

void overwrite(hid_t file, const char* dataset, std::int64_t value) {
  const hid_t id = H5Dopen2(file, dataset, H5P_DEFAULT);
  const hid_t space = H5Dget_space(id);
  std::vector<std::int64_t> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), value);
  EXPECT_GE(H5Dwrite(id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(id);
}

TEST(ResultFile, UnknownFormatVersionIsRefused) {
  const TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  edit(folder / "small.h5", [](hid_t file) {
    const hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    H5Awrite(attribute, type, "2.0");
    H5Tclose(type);
    H5Aclose(attribute);
  });
  EXPECT_THAT(message_of<InputError>([&] { read_results(folder / "small.h5"); }), HasSubstr("format version is '2.0'"));
}

TEST(ResultFile, MissingColumnIsNamed) {
  const TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  edit(folder / "small.h5", [](hid_t file) { H5Ldelete(file, "samples/wall_s", H5P_DEFAULT); });
  EXPECT_THAT(message_of<InputError>([&] { read_results(folder / "small.h5"); }),
              HasSubstr("/samples lacks the variable 'wall_s'"));
}

TEST(ResultFile, ParameterThatAnOlderFileLacksIsNull) {
  const TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  edit(folder / "small.h5", [](hid_t file) { H5Ldelete(file, "trials/f_tail", H5P_DEFAULT); });
  const Results results = read_results(folder / "small.h5");
  EXPECT_EQ(results.trials[0].parameters[sweep::Param::tail], sweep::Value());
}

TEST(ResultFile, ValuesThatPointNowhereAreRefused) {
  for (const char* dataset :
       {"samples/trial_index", "samples/block_index", "samples/phase", "trials/status", "trials/env_id",
        "trials/host_id", "trials/device_id", "trials/failure", "blocks/arm_trial", "blocks/n_arms",
        "attempts/block_index", "attempts/failure", "devices/host_id"}) {
    const TemporaryFolder folder;
    write_results(folder / "small.h5", varied_results());
    edit(folder / "small.h5", [&](hid_t file) { overwrite(file, dataset, 100); });
    EXPECT_THROW(read_results(folder / "small.h5"), InputError) << dataset;
  }
}

TEST(ResultFile, AnyFlippedByteAndAnyCutIsRefused) {
  const TemporaryFolder folder;
  write_results(folder / "small.h5", varied_results());
  const std::string whole = slurp(folder / "small.h5");
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 40) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    spill(folder / "damaged.h5", damaged);
    EXPECT_THROW(read_results(folder / "damaged.h5"), InputError) << "byte " << at;
    spill(folder / "cut.h5", whole.substr(0, at));
    EXPECT_THROW(read_results(folder / "cut.h5"), InputError) << "cut at " << at;
  }
}

TEST(StaleTemporaries, OfDeadProcessesAreRemovedAndOthersKept) {
  const TemporaryFolder folder;
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(dead, nullptr, 0), dead);
  const std::string gone = fmt::format(".small.h5.{}.tmp", dead);
  const std::vector<std::string> kept = {fmt::format(".small.h5.{}.tmp", ::getpid()),
                                         fmt::format(".other.h5.{}.tmp", dead), ".small.h5.text.tmp", "small.h5",
                                         ".small.h5.1.tmp"};
  spill(folder / gone, "x");
  for (const std::string& name : kept) spill(folder / name, "x");
  remove_stale_temporaries(folder.path(), "small.h5");
  EXPECT_THAT(names_in(folder.path()), testing::UnorderedElementsAreArray(kept));
  EXPECT_NO_THROW(remove_stale_temporaries(folder / "none", "small.h5"));
}

}  // namespace
}  // namespace regatta::results
