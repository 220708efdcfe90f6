#include <gmock/gmock.h>

#include "regatta/sweep/final_block.hpp"
#include "results/journal/frames.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"
#include "results/sample_sweep.hpp"

namespace regatta::results {
namespace {

class SessionsMadeWhole : public testing::Test {
 protected:
  SampleSweep sample = sample_sweep();
  Hash128 sweep = sweep_hash(sample.sweep);
  PlanRecord planned = plan_record(sample.sweep, sample.plan);
  Record header = to_record(HeaderRecord{"small", sample_provenance(sample.sweep.text)}, sweep);
  Record plan = to_record(planned, sweep);
  Record agent = to_record(sample_agent(), sweep);
  Record copy = plan_copy(header, planned, plan);
  Record end = to_record(SessionEndRecord{}, sweep);
  GivenSweep given{sample.sweep, sample.plan};

  [[nodiscard]] Record result(std::uint32_t block) const {
    return to_record(ResultRecord{finished_block(sample.plan, {block}), {}});
  }
  static WholeSessions whole(std::vector<Record> records, const GivenSweep* given = nullptr,
                             const std::vector<LostPiece>& lost = {}) {
    return whole_sessions(std::move(records), lost, given, "folder");
  }
  static std::string kinds(const WholeSessions& whole) {
    std::string kinds;
    for (const Record& record : whole.records) kinds += (kinds.empty() ? "" : " ") + std::string(kind_name(record));
    return kinds;
  }
};

TEST_F(SessionsMadeWhole, AreAsTheyWereWhereNothingIsLost) {
  const auto all = whole({header, plan, result(0), copy, end, header, plan_again(plan), result(1)});
  EXPECT_EQ(kinds(all), "header plan result plan_copy? session_end header plan_again result");
  EXPECT_TRUE(all.made_anew.empty());
  EXPECT_TRUE(all.has_plan);
}

TEST_F(SessionsMadeWhole, SessionThatLostHeaderAndPlanBeginsBehindTheEndOfTheOneBefore) {
  const auto all = whole({header, plan, result(0), copy, end, agent, result(1)});
  EXPECT_EQ(kinds(all), "header plan result plan_copy? session_end header plan_again agent result");
}

TEST_F(SessionsMadeWhole, SessionBeginsWhereItsDamagedHeaderStood) {
  LostPiece lost;
  lost.behind = 3;
  lost.head = header;
  const auto all = whole({header, plan, result(0), agent, result(1)}, nullptr, {lost});
  EXPECT_EQ(kinds(all), "header plan result header plan_again agent result");
  lost.behind = 1;  // the plan behind its header is no session of its own
  lost.head = plan;
  EXPECT_EQ(kinds(whole({header, agent, result(0), copy}, nullptr, {lost})), "header plan agent result plan_copy?");
}

TEST_F(SessionsMadeWhole, LostPlanComesFromTheRecordOfALaterSession) {
  const auto all = whole({header, result(0), header, plan, result(1)});
  EXPECT_EQ(kinds(all), "header plan result header plan_again result");
  EXPECT_EQ(all.made_anew.size(), 1U);
}

TEST_F(SessionsMadeWhole, PlanThatASessionNamesAndThatIsLostIsMadeAnew) {
  EXPECT_EQ(kinds(whole({header, plan_again(plan), result(1), copy})), "header plan result plan_copy?");
}

TEST_F(SessionsMadeWhole, PlanThatASessionNamesAndThatIsLostIsMadeAnewForBoth) {
  const auto all = whole({header, result(0), copy, end, header, plan_again(plan), result(1)});
  EXPECT_EQ(kinds(all), "header plan result plan_copy? session_end header plan_again result");
}

TEST_F(SessionsMadeWhole, SweepThatIsGivenHasToBeThatOfTheRecords) {
  EXPECT_TRUE(whole({header, agent, result(0)}, &given).has_plan);
  const SampleSweep other = sample_sweep("8");
  const GivenSweep others{other.sweep, other.plan};
  const auto refused = whole({header, agent, result(0)}, &others);
  EXPECT_FALSE(refused.has_plan);
  EXPECT_FALSE(refused.fits_given);
  EXPECT_THAT(refused.given_up, testing::ElementsAre("the plan of session 1"));
}

TEST_F(SessionsMadeWhole, SweepThatIsGivenHasToMakeTheBlocksOfTheResults) {
  Record foreign = result(0);
  foreign.hash = hash128("of another version");
  EXPECT_FALSE(whole({header, agent, foreign}, &given).fits_given);
  EXPECT_FALSE(whole({}, &given).fits_given);
}

TEST_F(SessionsMadeWhole, FinalIsKnownByTheCellsOfTheSweepThatIsGiven) {
  const auto& arms = sample.plan.blocks[0].arms;
  const sweep::Plan with_final =
      sweep::with_finals(sample.plan, {*sweep::final_block(sample.plan, {arms[0], arms[2]})});
  const BlockIndex last{static_cast<std::uint32_t>(with_final.blocks.size() - 1)};
  ResultRecord result{finished_block(with_final, last), {}};
  EXPECT_TRUE(whole({to_record(result)}, &given).fits_given);
  result.block.block = hash128("another sweep's");
  EXPECT_FALSE(whole({to_record(result)}, &given).fits_given);
}

TEST_F(SessionsMadeWhole, HeaderHasTheNameOfTheFolderWhereNothingTellsIt) {
  const auto all = whole({result(0)});
  EXPECT_EQ(kinds(all), "header result");
  EXPECT_EQ(parse_header(all.records[0]).name, "folder");
}

TEST_F(SessionsMadeWhole, CopyThatCannotBeReadIsAsIfItWereNotThere) {
  copy.payload.resize(10);
  const auto all = whole({agent, result(0), copy, end}, &given);
  EXPECT_EQ(kinds(all), "header plan agent result plan_copy? session_end");
  EXPECT_THAT(all.made_anew, testing::ElementsAre("the plan of session 1, from the sweep file",
                                                  "the header of session 1, from its plan"));
}

}  // namespace
}  // namespace regatta::results
