#include "regatta/results/file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "regatta/base/error.hpp"
#include "results/file/file.hpp"
#include "results/file/netcdf_writer.hpp"
#include "results/file/varied_results.hpp"
#include "results/files_and_messages.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

using testing::HasSubstr;

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

TEST(ResultFile, GivesBackWhatWasWritten) {
  const support::TemporaryFolder folder;
  const Results results = varied_results();
  for (const char* status : {"finished", "failed", "skipped", "open"}) {
    EXPECT_TRUE(std::ranges::any_of(
        results.trials, [&](const TrialRow& t) { return sweep::status_of(t.outcome) == std::string(status); }))
        << status << " is missing from the example";
  }
  write_results(folder / "small.h5", results);
  expect_same(read_results(folder / "small.h5"), results);
}

TEST(ResultFile, GivesBackResultsWithoutASingleSampleOrBlock) {
  const support::TemporaryFolder folder;
  Results results;
  results.name = "empty";
  TrialRow row;
  row.parameters[sweep::Param::engine] = std::string("native");
  row.outcome = sweep::Skipped{"nothing can run it"};
  results.trials.push_back(row);
  write_results(folder / "empty.h5", results);
  expect_same(read_results(folder / "empty.h5"), results);
}

TEST(ResultFile, KeepsAxesOfTheSweepsOwn) {
  using sweep::Param;
  using Kind = Param::OwnKind;
  const support::TemporaryFolder folder;
  Results results = varied_results();
  results.trials[0].parameters.set(Param::own("n", Kind::integer), std::int64_t{-3});
  results.trials[0].parameters.set(Param::own("args.tol", Kind::real), 1e-300);
  results.trials[1].parameters.set(Param::own("alg", Kind::text), std::string("\xc3\xa4 b"));
  results.trials[1].parameters.set(Param::own("fast", Kind::flag), std::string("false"));
  for (const char* const name : {"n", "args.tol", "alg", "fast", "nobody_reads_it"})
    results.axis_names.emplace_back(name);
  write_results(folder / "own.h5", results);
  const Results read = read_results(folder / "own.h5");
  expect_same(read, results);
  EXPECT_EQ(read.trials[1].parameters.own().back().param.kind(), Kind::flag);
}

TEST(ResultFile, KeepsExtremeValues) {
  const support::TemporaryFolder folder;
  Results results = varied_results();
  results.trials[0].parameters[sweep::Param::batch] = std::numeric_limits<std::int64_t>::max();
  results.trials[1].parameters[sweep::Param::seed] = std::int64_t{0};
  results.trials[0].metrics["of_a_later_version"] = 1e308;
  const auto arms = results.blocks[results.samples[0].block.value].arms.size();
  const auto last_arm = static_cast<std::uint16_t>(arms - 1);
  results.samples[0].sample = {~0U, last_arm, stats::Phase::reentry, 0xff, ~0U, 0xffff, 0xffff, -0.0, 5e-324};
  results.failed_attempts[0].message = std::string(100'000, 'x') + " \xe2\x80\x93 \"\n";
  write_results(folder / "x.h5", results);
  expect_same(read_results(folder / "x.h5"), results);
}

TEST(ResultFile, IsForWhomTheUmaskLetsReadAndNothingElseIsLeftInTheFolder) {
  const support::TemporaryFolder folder;
  const mode_t umask_before = ::umask(0027);
  write_results(folder / "small.h5", varied_results());
  ::umask(umask_before);
  struct stat info {};
  ASSERT_EQ(::stat((folder / "small.h5").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0640U);
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"small.h5"});
}

TEST(ResultFile, SameResultsGiveTheSameBytes) {
  const support::TemporaryFolder folder;
  const Results results = varied_results();
  write_results(folder / "a.h5", results);
  write_results(folder / "b.h5", results);
  EXPECT_EQ(slurp(folder / "a.h5"), slurp(folder / "b.h5"));
}

TEST(ResultFile, ReplacesAnOlderOneWhole) {
  const support::TemporaryFolder folder;
  Results results = varied_results();
  write_results(folder / "small.h5", results);
  results.complete = !results.complete;
  write_results(folder / "small.h5", results);
  EXPECT_EQ(read_results(folder / "small.h5").complete, results.complete);
}

TEST(ResultFile, ManySamplesSpanChunks) {
  const support::TemporaryFolder folder;
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
  const support::TemporaryFolder folder;
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
  const support::TemporaryFolder folder;
  EXPECT_THROW(write_results(folder / "none" / "small.h5", varied_results()), StorageError);
}

TEST(ResultFile, MissingOrForeignFileIsAnInputErrorThatNamesIt) {
  const support::TemporaryFolder folder;
  EXPECT_THAT(message_of<InputError>([&] { read_results(folder / "none.h5"); }), HasSubstr("none.h5"));
  spill(folder / "text.h5", "no HDF5 at all");
  testing::internal::CaptureStderr();
  EXPECT_THAT(message_of<InputError>([&] { read_results(folder / "text.h5"); }), HasSubstr("text.h5"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the library's own error stack stays quiet";
}

TEST(ResultFile, SaysWhatAFileIsThatIsNoResultFile) {
  const support::TemporaryFolder folder;
  const auto refusal = [&](const std::string& name) {
    return message_of<InputError>([&] { read_results(folder / name); });
  };
  const auto path = [&](const std::string& name) { return "'" + (folder / name).string() + "'"; };
  EXPECT_EQ(refusal("none.h5"), "there is no file " + path("none.h5") + " (a result file is needed); name a NAME.h5");
  EXPECT_THROW(
      try { read_results("/dev/zero"); } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("is a pipe or a device"));
        throw;
      },
      InputError);
  std::filesystem::create_directory(folder / "small.regatta");
  EXPECT_EQ(refusal("small.regatta"),
            path("small.regatta") +
                " is a folder (a result file is needed); name a NAME.h5, or make it with `regatta collect`");
  spill(folder / "text.h5", "no HDF5 at all");
  EXPECT_EQ(refusal("text.h5"),
            path("text.h5") + " is no HDF5 file (a result file is one); name a NAME.h5 that regatta wrote");
  write_results(folder / "small.h5", varied_results());
  edit(folder / "small.h5", [](hid_t file) {
    H5Adelete(file, "format_version");
    hdf5::put_attribute(file, "format_version", std::string("3.0"));
  });
  EXPECT_EQ(refusal("small.h5"),
            path("small.h5") +
                ": its format version is '3.0', this Regatta reads 2.x (columns would be misread); "
                "use the version that wrote it");
  edit(folder / "small.h5", [](hid_t file) { H5Adelete(file, "format"); });
  EXPECT_EQ(refusal("small.h5"), path("small.h5") +
                                     ": it is not a result file of Regatta (the attribute 'format' says so); name a "
                                     "NAME.h5 that regatta wrote");
  spill(folder / "small.h5", slurp(folder / "small.h5").substr(0, 5000));
  EXPECT_EQ(refusal("small.h5"),
            path("small.h5") +
                " was damaged or changed since Regatta wrote it, or is no result file. Its checksum does not match: "
                "its numbers cannot be trusted. Rebuild it with `regatta collect` from the folder NAME.regatta");
}

TEST(ResultFile, AnyFlippedByteAndAnyCutIsRefused) {
  const support::TemporaryFolder folder;
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
  const support::TemporaryFolder folder;
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
