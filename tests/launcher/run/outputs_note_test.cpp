#include "run/outputs_note.hpp"

#include <gtest/gtest.h>

#include "regatta/results/store.hpp"
#include "results/files_and_messages.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

class NoteOfOutputs : public testing::Test {
 protected:
  NoteOfOutputs() {
    journal.records.push_back({results::RecordKind::session_end, hash128("sweep"), 0, "{}"});
    results::spill(file, "numbers");
    results::spill(page, "words");
  }

  [[nodiscard]] OutputsNote note() const { return {folder.path(), journal, {file, page}}; }

  support::TemporaryFolder folder;
  std::filesystem::path file = folder / "s.h5";
  std::filesystem::path page = folder / "s.html";
  results::Scan journal;
};

TEST_F(NoteOfOutputs, HoldsForTheFilesThatWereWrittenFromThisJournal) {
  EXPECT_FALSE(note().holds()) << "nothing was kept";
  note().keep();
  EXPECT_TRUE(note().holds());
}

TEST_F(NoteOfOutputs, HoldsNoMoreWhenTheJournalGoesOn) {
  note().keep();
  journal.records.push_back({results::RecordKind::header, hash128("sweep"), 2, "{}"});
  EXPECT_FALSE(note().holds());
}

TEST_F(NoteOfOutputs, HoldsNoMoreWhenAFileChangesOrIsGone) {
  note().keep();
  results::spill(page, "Words");
  EXPECT_FALSE(note().holds()) << "as long, and other";
  results::spill(page, "words");
  EXPECT_TRUE(note().holds());
  std::filesystem::remove(file);
  EXPECT_FALSE(note().holds());
}

TEST_F(NoteOfOutputs, HoldsNoMoreWhenItIsCutOrAnotherBuilds) {
  note().keep();
  const std::string text = results::slurp(folder / "outputs");
  results::spill(folder / "outputs", text.substr(0, text.size() - 1));
  EXPECT_FALSE(note().holds());
  results::spill(folder / "outputs", "regatta 0.0.0 1 1" + text.substr(text.find('\n')));
  EXPECT_FALSE(note().holds());
}

TEST_F(NoteOfOutputs, OfAFileThatIsNotThereIsNotKept) {
  std::filesystem::remove(page);
  note().keep();
  EXPECT_FALSE(std::filesystem::exists(folder / "outputs"));
}

TEST(Outdated, IsAFileAsItWasWrittenWhereTheRunHasRecordedMoreSince) {
  const support::TemporaryFolder place;
  const std::filesystem::path file = place.path() / "s.h5";
  const std::filesystem::path folder = place.path() / "s.regatta";
  std::filesystem::create_directory(folder);
  results::spill(file, "numbers");
  EXPECT_FALSE(is_outdated(file, folder)) << "nothing is known of it";
  results::spill(folder / "journal", "");
  OutputsNote(folder, results::read_store(folder), {file}).keep();
  EXPECT_FALSE(is_outdated(file, folder));
  results::Scan more = results::read_store(folder);
  more.records.push_back({results::RecordKind::header, hash128("sweep"), 2, "{}"});
  OutputsNote(folder, more, {file}).keep();
  EXPECT_TRUE(is_outdated(file, folder)) << "the journal is not the one of the note";
  results::spill(file, "other numbers");
  EXPECT_FALSE(is_outdated(file, folder)) << "somebody else's";
}

}  // namespace
}  // namespace regatta::launcher
