// Each session's note on its orchestration belongs to that session, and its last note counts.
#include <gtest/gtest.h>

#include <cmath>

#include "regatta/base/error.hpp"
#include "regatta/results/open_work.hpp"
#include "regatta/results/store.hpp"
#include "results/collect/collect.hpp"
#include "results/files_and_messages.hpp"
#include "results/journal/record_codec.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

Orchestration after(double seconds) {
  Orchestration self;
  self.elapsed_seconds = seconds;
  self.syncs = 3;
  return self;
}

class SessionsOfAJournal : public testing::Test {
 protected:
  support::TemporaryFolder base;
  std::filesystem::path folder = base / "small.regatta";
  SampleSweep sample = sample_sweep();

  StoreWriter session() { return {folder, sample.sweep, sample.plan, sample_provenance(sample.sweep.text), 0.05}; }
  std::vector<SessionRow> sessions() { return sessions_of(read_store(folder).records); }
};

TEST_F(SessionsOfAJournal, NameTheJobThatTheyRanIn) {
  Provenance provenance = sample_provenance(sample.sweep.text);
  { const StoreWriter writer(folder, sample.sweep, sample.plan, provenance, 0.05); }
  provenance.batch_job = {"4711", "n[1-3]", "main", "mine", 2};
  { const StoreWriter writer(folder, sample.sweep, sample.plan, provenance, 0.05); }
  const std::vector<SessionRow> told = sessions();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].batch_job, BatchJob());
  EXPECT_EQ(told[1].batch_job, provenance.batch_job);
}

TEST_F(SessionsOfAJournal, CountWhatWasSaidLast) {
  {
    StoreWriter writer = session();
    writer.orchestration(after(2));
    writer.sync();
    writer.orchestration(after(4));
    writer.sync();  // and is killed
  }
  session();
  {
    StoreWriter writer = session();
    writer.orchestration(after(7));
    writer.end_session();
  }
  const auto found = sessions();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_FALSE(found[0].ended);
  EXPECT_EQ(found[0].self.elapsed_seconds, 4);
  EXPECT_EQ(found[0].self.syncs, 3);
  EXPECT_TRUE(std::isnan(found[0].self.idle_share)) << "it was not known";
  EXPECT_TRUE(std::isnan(found[1].self.elapsed_seconds)) << "killed before it said anything";
  EXPECT_TRUE(found[2].ended);
  EXPECT_EQ(found[2].self.elapsed_seconds, 7);
  EXPECT_EQ(found[2].created, sample_provenance("").created);
  EXPECT_EQ(open_work(folder).results.sessions.size(), 3U);
  EXPECT_EQ(collect(folder).sessions.size(), 3U);
}

TEST_F(SessionsOfAJournal, RefuseAJobWithAnImpossibleNumberOfRestarts) {
  session();
  Record header = read_store(folder).records.front();
  header.payload.insert(1,
                        R"("batch_job": {"id": "1", "nodes": "", "partition": "", "account": "", "restarts": -1}, )");
  EXPECT_THROW(parse_header(header), InputError);
}

TEST_F(SessionsOfAJournal, AreSkippedByWhoDoesNotKnowTheRecord) {
  const Record record = to_record(after(1), {});
  Record later = record;
  later.payload = R"({"elapsed": 2, "of a later version": [1]})";
  EXPECT_EQ(parse_orchestration(later).elapsed_seconds, 2);
  {
    StoreWriter writer = session();
    writer.orchestration(after(1));
    writer.end_session();
  }
  EXPECT_NE(slurp(journal_file(folder)).find(" orchestration? "), std::string::npos);
}

TEST_F(SessionsOfAJournal, RefuseWhatIsNoFigure) {
  Record record = to_record(after(1), {});
  record.payload = R"({"elapsed": "long"})";
  EXPECT_THROW(parse_orchestration(record), InputError);
}

}  // namespace
}  // namespace regatta::results
