#include "os/profiler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "launcher/host/machine_tree.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"

namespace regatta::launcher {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Profiler, StandsInFrontOfTheWholeCommand) {
  const Profiled perf = profiled("perf", {"/bin/regatta", "repro", "a.h5", "1f2e"}, "repro-1f2e");
  EXPECT_THAT(perf.argv, ElementsAre("perf", "record", "--freq", "999", "--call-graph", "fp", "--output",
                                     "repro-1f2e.perf.data", "--", "/bin/regatta", "repro", "a.h5", "1f2e"));
  EXPECT_THAT(perf.reads, ElementsAre("perf", "report", "--comm", "regatta-worker", "--input", "repro-1f2e.perf.data"));
}

TEST(Profiler, OfADeviceSeesTheKernelsOfAGraphOneByOne) {
  const Profiled nsys = profiled("nsys", {"regatta"}, "stem");
  EXPECT_THAT(nsys.argv, ::testing::Contains("--cuda-graph-trace=node"));
  EXPECT_EQ(nsys.argv[nsys.argv.size() - 2], "stem") << "it appends the ending";
  EXPECT_EQ(nsys.reads.back(), "stem.nsys-rep");
  const Profiled ncu = profiled("ncu", {"regatta"}, "stem");
  EXPECT_THAT(ncu.argv, ::testing::IsSupersetOf({"--target-processes", "--graph-profiling"}));
  EXPECT_EQ(ncu.reads.back(), "stem.ncu-rep");
}

TEST(Profiler, ThatNobodyKnowsIsRefused) {
  EXPECT_EQ(message_of([] { profiled("vtune", {"regatta"}, "stem"); }),
            "there is no profiler 'vtune' (its command line is not known); take nsys, ncu or perf");
}

TEST(Profiler, IsLeftOutOfTheCommandThatItRuns) {
  EXPECT_THAT(without_profile({"regatta", "repro", "--profile", "perf", "a.h5"}),
              ElementsAre("regatta", "repro", "a.h5"));
  EXPECT_THAT(without_profile({"regatta", "a.h5", "--profile=perf"}), ElementsAre("regatta", "a.h5"));
}

/// A folder that is all of PATH.
class BecomeProfiler : public ::testing::Test {
 protected:
  BecomeProfiler() : path_(::getenv("PATH")) { ::setenv("PATH", files_.path("").c_str(), 1); }
  ~BecomeProfiler() override { ::setenv("PATH", path_.c_str(), 1); }
  MachineTree files_;
  std::string path_;
};

TEST_F(BecomeProfiler, SaysWhereItComesFromAndWhatToRunWhereItIsNot) {
  EXPECT_EQ(message_of([] {
              become(profiled("nsys", {"regatta", "a b"}, "stem"));
            }),
            "nsys is not on this machine's PATH (it comes with NVIDIA Nsight Systems); install it, or run where it is: "
            "nsys profile --trace=cuda,nvtx,cublas,cudnn,osrt --cuda-graph-trace=node --output stem regatta 'a b'");
}

TEST_F(BecomeProfiler, RunsItInPlaceOfThisProcess) {
  files_.write("perf", "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexit \"$1\"\n");
  std::filesystem::permissions(files_.path("perf"), std::filesystem::perms::owner_all);
  EXPECT_EXIT(become(profiled("perf", {"7"}, "stem")), ::testing::ExitedWithCode(7), "perf record .* -- 7");
}

}  // namespace
}  // namespace regatta::launcher
