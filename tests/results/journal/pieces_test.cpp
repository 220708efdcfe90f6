#include <fmt/format.h>
#include <gmock/gmock.h>

#include "regatta/base/crc32c.hpp"
#include "results/journal/frames.hpp"
#include "results/journal/journal.hpp"

namespace regatta::results {
namespace {

/// The text of each record of a small journal, the one that opens it first.
std::vector<std::string> written_pieces() {
  std::vector<std::string> texts = {opening_frame()};
  const auto add = [&](const Record& record) { texts.push_back(frame_of(record, texts.size())); };
  for (const char* payload : {"a", "b\nb", "c", "d"}) add({RecordKind::result, hash128(payload), 1, payload});
  return texts;
}

std::string joined_pieces(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text;
  return all;
}

std::string payloads(const Scan& scan) {
  std::string all;
  for (const Record& record : scan.records) all += record.payload + " ";
  return all;
}

TEST(Pieces, RecordsKnowWhereTheyStand) {
  const auto texts = written_pieces();
  const Scan scan = pieces_of(joined_pieces(texts));
  ASSERT_EQ(scan.records.size(), 4U);
  EXPECT_EQ(scan.records[1].place.sequence, 2U);
  EXPECT_EQ(scan.records[1].place.byte, texts[0].size() + texts[1].size());
  EXPECT_TRUE(scan.lost.empty());
  EXPECT_EQ(scan.next_sequence, 5U);
}

TEST(Pieces, DamagedPayloadIsALostPieceWhoseRecordIsKnown) {
  auto texts = written_pieces();
  texts[2][texts[2].size() - 2] = '\n';
  const Scan scan = pieces_of(joined_pieces(texts));
  EXPECT_EQ(payloads(scan), "a c d ");
  ASSERT_EQ(scan.lost.size(), 1U);
  EXPECT_EQ(scan.lost[0].place.sequence, 2U);
  EXPECT_EQ(scan.lost[0].missing, 1U);
  EXPECT_EQ(scan.lost[0].bytes, texts[2].size());
  EXPECT_EQ(scan.lost[0].behind, 1U);
  ASSERT_TRUE(scan.lost[0].head);
  EXPECT_EQ(scan.lost[0].head->hash, hash128("b\nb"));
}

TEST(Pieces, DamagedHeadsAreOnePieceWhateverTheirPayloadsHold) {
  auto texts = written_pieces();
  texts[2][3] ^= 1;
  texts[3][3] ^= 1;
  const Scan scan = pieces_of(joined_pieces(texts));
  EXPECT_EQ(payloads(scan), "a d ");
  ASSERT_EQ(scan.lost.size(), 1U);
  EXPECT_EQ(scan.lost[0].missing, 2U);
  EXPECT_EQ(scan.lost[0].bytes, texts[2].size() + texts[3].size());
  EXPECT_FALSE(scan.lost[0].head);
}

TEST(Pieces, WhatWasCutOutIsMissing) {
  auto texts = written_pieces();
  texts[3].clear();
  const Scan cut_out = pieces_of(joined_pieces(texts));
  EXPECT_EQ(payloads(cut_out), "a b\nb d ");
  ASSERT_EQ(cut_out.lost.size(), 1U);
  EXPECT_EQ(cut_out.lost[0].missing, 1U);
  EXPECT_EQ(cut_out.lost[0].bytes, 0U);
}

TEST(Pieces, RecordThatStandsThereTwiceIsTooMuch) {
  auto texts = written_pieces();
  texts[3] += texts[2] + texts[1];
  const Scan scan = pieces_of(joined_pieces(texts));
  EXPECT_EQ(payloads(scan), "a b\nb c d ");
  ASSERT_EQ(scan.lost.size(), 1U);
  EXPECT_EQ(scan.lost[0].missing, 0U);
  EXPECT_EQ(scan.lost[0].why, "record 2 where record 4 should stand");
}

TEST(Pieces, RecordThatClaimsMoreThanThereIsIsTornOnlyIfNothingWholeFollows) {
  auto texts = written_pieces();
  const std::string whole = texts[3];
  texts[3] = frame_of({RecordKind::result, hash128("c"), 1, std::string(500, 'c')}, 3).substr(0, 100) + "\n";
  const Scan scan = pieces_of(joined_pieces(texts));
  EXPECT_EQ(payloads(scan), "a b\nb d ");
  EXPECT_FALSE(scan.torn_tail);
  ASSERT_EQ(scan.lost.size(), 1U);
  EXPECT_EQ(scan.lost[0].why, "a record that is cut short");
  texts[4].clear();
  EXPECT_TRUE(pieces_of(joined_pieces(texts)).torn_tail);
}

TEST(Pieces, JournalWhoseFirstRecordIsLostIsReadOn) {
  auto texts = written_pieces();
  texts[0][0] ^= 1;
  const Scan scan = pieces_of(joined_pieces(texts));
  EXPECT_EQ(payloads(scan), "a b\nb c d ");
  ASSERT_EQ(scan.lost.size(), 1U);
  EXPECT_EQ(scan.lost[0].place.sequence, 0U);
}

/// Records behind the mark of all that was synced, the last of them larger than two sectors.
std::vector<std::string> pieces_behind_a_mark() {
  auto texts = written_pieces();
  texts.push_back(frame_of({RecordKind::durable, {}, 0, "5"}, 5));
  texts.push_back(frame_of({RecordKind::result, hash128("e"), 1, "e"}, 6));
  texts.push_back(frame_of({RecordKind::result, hash128("f"), 1, std::string(1500, 'f')}, 7));
  texts.push_back(frame_of({RecordKind::result, hash128("g"), 1, "g"}, 8));
  return texts;
}

TEST(Pieces, SectorThatWasNeverWrittenEndsWhatWasNotSynced) {
  const auto texts = pieces_behind_a_mark();
  std::string all = joined_pieces(texts);
  const std::size_t sector = (all.size() - 800) / 512 * 512;
  const Scan scan = pieces_of(all.replace(sector, 512, 512, '\0'));
  EXPECT_EQ(payloads(scan), "a b\nb c d e ");
  EXPECT_TRUE(scan.lost.empty());
  EXPECT_TRUE(scan.torn_tail);
  EXPECT_EQ(scan.next_sequence, 7U);
  EXPECT_EQ(scan.valid_bytes, all.size() - texts[8].size() - texts[7].size());
}

TEST(Pieces, WriteOfWhichNothingArrivedEndsWhatWasNotSynced) {
  auto texts = pieces_behind_a_mark();
  texts[6] = std::string(texts[6].size(), '\0');
  EXPECT_EQ(payloads(pieces_of(joined_pieces(texts))), "a b\nb c d ");
  texts.erase(texts.begin() + 7, texts.end());
  EXPECT_EQ(payloads(pieces_of(joined_pieces(texts))), "a b\nb c d ");
}

TEST(Pieces, ZeroBytesBeforeAMarkAreDamage) {
  auto texts = pieces_behind_a_mark();
  texts.push_back(frame_of({RecordKind::durable, {}, 0, "9"}, 9));
  texts[6] = std::string(texts[6].size(), '\0');
  const Scan scan = pieces_of(joined_pieces(texts));
  EXPECT_FALSE(scan.torn_tail);
  ASSERT_EQ(scan.lost.size(), 1U);
}

TEST(Pieces, OtherDamageIsNoTornTailWhereverItStands) {
  auto texts = pieces_behind_a_mark();
  texts[7][300] ^= 1;
  const Scan scan = pieces_of(joined_pieces(texts));
  EXPECT_FALSE(scan.torn_tail);
  ASSERT_EQ(scan.lost.size(), 1U);
  std::string all = joined_pieces(pieces_behind_a_mark());
  const std::size_t inside = (all.size() - 800) / 512 * 512 + 100;
  EXPECT_EQ(pieces_of(all.replace(inside, 300, 300, '\0')).lost.size(), 1U) << "no sector";
}

TEST(Pieces, JournalOfZeroBytesIsNotCalledEmpty) {
  EXPECT_EQ(pieces_of(std::string(5000, '\0')).lost.size(), 1U);
  EXPECT_TRUE(pieces_of(std::string(opening_frame().size(), '\0')).torn_tail) << "no more was written yet";
}

TEST(Pieces, ForgedHeadsThatEachNameAllTheRestCostNoEndlessReading) {
  std::string text = opening_frame();
  for (std::size_t i = 1; text.size() < 1'000'000; ++i) {
    const std::string head = fmt::format("{} result {} 1 2000000 00000000", i, to_string(Hash128{}));
    text += fmt::format("{:08x} {} \n", crc32c(head), head);
  }
  text.resize(3'000'000, 'x');
  EXPECT_TRUE(pieces_of(text).records.empty());
}

}  // namespace
}  // namespace regatta::results
