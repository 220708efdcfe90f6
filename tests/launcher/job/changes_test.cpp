#include <gmock/gmock.h>

#include "job/job.hpp"
#include "job/open_blocks.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

sweep::Origins origins_with(const std::string& script, const std::string& other = "1") {
  return {{"command a", {{"the contents of step.py", script}}}, {"command b", {{"the contents of other.py", other}}}};
}

const std::string compared =
    R"(, "compare": {"over": "command", "baseline": {"command": "a"}}, "measure": {"again": false})";

class ChangeLines : public testing::Test {
 protected:
  void SetUp() override { job = of(compared); }

  Job of(const std::string& compare, const std::string& argument = "step.py") const {
    Job made;
    made.options.out = folder / "results";
    made.sweep = sweep::parse_sweep(
        R"({"regatta": 1, "name": "s", "axes": {"engine": "command", "command": ["a", "b"]}, "commands":
          {"a": {"argv": ["python3", ")" +
            argument + R"("]}, "b": {"argv": ["python3", "other.py"]}})" + compare + "}",
        "s.json");
    made.plan = sweep::make_plan(made.sweep);
    made.origins = origins_with("1");
    return made;
  }

  /// All blocks; an interrupted one has no end.
  void measure(bool interrupted = false) const {
    results::Provenance provenance;
    provenance.origins = job.origins;
    provenance.keeps_changed = job.options.keep_changed;
    results::StoreWriter writer(job.folder(), job.sweep, job.plan, provenance, 0.05);
    for (const sweep::Block& block : job.plan.blocks) {
      results::BlockRecord record;
      record.block = block.hash;
      record.interrupted = interrupted;
      for (std::size_t at = 0; at < block.distinct_arms(); ++at)
        record.arms.emplace_back().trial = job.plan.trials[block.arms[at].value].hash;
      writer.result(record, {});
    }
    writer.end_session();
  }
  /// A session that measures nothing.
  void record_origins() const {
    results::Provenance provenance;
    provenance.origins = job.origins;
    provenance.keeps_changed = job.options.keep_changed;
    results::StoreWriter(job.folder(), job.sweep, job.plan, provenance, 0.05).end_session();
  }

  results::Scan journal() const { return results::read_store(job.folder()); }
  std::vector<std::string> lines() const { return change_lines(job, journal()); }
  OpenBlocks open() const { return open_blocks(job, journal()); }

  support::TemporaryFolder folder;
  Job job;
};

TEST_F(ChangeLines, AreNoneWithoutARecordOrAChange) {
  EXPECT_THAT(lines(), IsEmpty());
  measure();
  EXPECT_THAT(lines(), IsEmpty());
  EXPECT_FALSE(tells_changes_anew(job, journal()));
  EXPECT_FALSE(blocks_missing(job, journal()));
}

TEST_F(ChangeLines, SayWhatIsMeasuredAgainAndWhatStandsBesideIt) {
  measure();
  job.origins = origins_with("2");
  EXPECT_THAT(lines(), ElementsAre("the contents of step.py changed: 1 trial (command a) is measured again",
                                   "1 trial beside is measured again: what is compared is measured together"));
  EXPECT_TRUE(blocks_missing(job, journal()));
  EXPECT_THAT(open().finished, IsEmpty());
  EXPECT_THAT(reopened_by_change(job, journal()), testing::SizeIs(1));
}

TEST_F(ChangeLines, ReachOnlyTheBlocksOfWhatChanged) {
  job = of("");
  measure();
  job.origins = origins_with("1", "2");
  EXPECT_THAT(lines(), ElementsAre("the contents of other.py changed: 1 trial (command b) is measured again"));
  EXPECT_EQ(open().finished, HashSet{job.plan.blocks[0].hash});
}

TEST_F(ChangeLines, SayWhatIsKept) {
  measure();
  job.origins = origins_with("2");
  job.options.keep_changed = true;
  EXPECT_THAT(lines(),
              ElementsAre("the contents of step.py changed: 1 trial (command a) is kept, marked `changed since`"));
  EXPECT_FALSE(blocks_missing(job, journal()));
  EXPECT_EQ(open().finished, HashSet{job.plan.blocks[0].hash});
  EXPECT_TRUE(tells_changes_anew(job, journal()));
  record_origins();
  EXPECT_FALSE(tells_changes_anew(job, journal()));
  job.origins = origins_with("1");
  EXPECT_TRUE(tells_changes_anew(job, journal())) << "the mark is to go";
}

TEST_F(ChangeLines, OfWhatADrainCutOffAreMeasuredAnewEvenWhereTheyAreKept) {
  measure(true);
  EXPECT_EQ(open().continued, std::set<Hash128>{job.plan.blocks[0].hash});
  job.origins = origins_with("2");
  job.options.keep_changed = true;
  EXPECT_THAT(open().continued, IsEmpty()) << "squares of two programs do not mix";
  EXPECT_THAT(open().finished, IsEmpty());
}

TEST_F(ChangeLines, SayWhatTheSweepSaysOtherwise) {
  measure();
  const Job before = job;
  job = of(compared, "new.py");
  EXPECT_THAT(lines(), ElementsAre("the arguments of the command a changed: 1 trial (command a) is measured; what was "
                                   "measured before stays in the folder"));
  measure();
  job = before;
  EXPECT_THAT(lines(), IsEmpty()) << "it is recorded";
}

}  // namespace
}  // namespace regatta::launcher
