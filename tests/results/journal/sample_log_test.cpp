#include "regatta/results/sample_log.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "regatta/base/error.hpp"
#include "results/files_and_messages.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

using testing::HasSubstr;

std::vector<stats::Sample> some_samples(std::uint32_t count) {
  std::vector<stats::Sample> samples(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    samples[i].slice = i;
    samples[i].seconds = 0.001 * i;
  }
  return samples;
}

bool same(const std::vector<stats::Sample>& a, const std::vector<stats::Sample>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(stats::Sample)) == 0;
}

TEST(SampleLog, GivesBackEachPiece) {
  const support::TemporaryFolder folder;
  SampleExtent first;
  SampleExtent empty;
  {
    SampleLogWriter writer(folder / "samples.bin");
    first = writer.append(some_samples(3));
    empty = writer.append({});
    writer.sync();
  }
  SampleLogWriter later(folder / "samples.bin");
  const SampleExtent second = later.append(some_samples(5));
  later.sync();
  EXPECT_EQ(second.offset_bytes, 3 * sizeof(stats::Sample));
  EXPECT_TRUE(same(read_samples(folder / "samples.bin", first), some_samples(3)));
  EXPECT_TRUE(same(read_samples(folder / "samples.bin", second), some_samples(5)));
  EXPECT_TRUE(read_samples(folder / "samples.bin", empty).empty());
}

TEST(SampleLog, PieceIsFoundBehindTheRestOfACutOffSession) {
  const support::TemporaryFolder folder;
  spill(folder / "samples.bin", "half a sample");
  SampleLogWriter writer(folder / "samples.bin");
  const SampleExtent extent = writer.append(some_samples(2));
  writer.sync();
  EXPECT_TRUE(same(read_samples(folder / "samples.bin", extent), some_samples(2)));
}

TEST(SampleLog, FlippedBitIsDamageWithFileAndOffset) {
  const support::TemporaryFolder folder;
  SampleLogWriter writer(folder / "samples.bin");
  writer.append(some_samples(1));
  const SampleExtent extent = writer.append(some_samples(2));
  std::string bytes = slurp(folder / "samples.bin");
  for (std::size_t byte = extent.offset_bytes; byte < bytes.size(); ++byte) {
    std::string flipped = bytes;
    flipped[byte] = static_cast<char>(flipped[byte] ^ 4);
    spill(folder / "flipped.bin", flipped);
    const std::string text = message_of<InputError>([&] { read_samples(folder / "flipped.bin", extent); });
    EXPECT_THAT(text, HasSubstr("flipped.bin"));
    EXPECT_THAT(text, HasSubstr("at byte 32"));
  }
}

TEST(SampleLog, PhaseThatDoesNotExistIsDamageWhateverTheChecksum) {
  const support::TemporaryFolder folder;
  SampleLogWriter writer(folder / "samples.bin");
  std::vector<stats::Sample> samples = some_samples(2);
  samples[1].phase = static_cast<stats::Phase>(stats::phase_names.size());
  const SampleExtent extent = writer.append(samples);
  EXPECT_THAT(message_of<InputError>([&] { read_samples(folder / "samples.bin", extent); }),
              HasSubstr("a sample of a phase that does not exist"));
}

TEST(SampleLog, CutPieceIsDamage) {
  const support::TemporaryFolder folder;
  SampleLogWriter writer(folder / "samples.bin");
  const SampleExtent extent = writer.append(some_samples(2));
  const std::string bytes = slurp(folder / "samples.bin");
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    spill(folder / "cut.bin", bytes.substr(0, length));
    EXPECT_THROW(read_samples(folder / "cut.bin", extent), InputError);
  }
}

TEST(SampleLog, HugeCountIsDamageAndNotAnAllocation) {
  const support::TemporaryFolder folder;
  SampleLogWriter writer(folder / "samples.bin");
  SampleExtent extent = writer.append(some_samples(2));
  extent.count = std::uint64_t{1} << 62;
  EXPECT_THROW(read_samples(folder / "samples.bin", extent), InputError);
  extent = {~std::uint64_t{0}, 1, 0};
  EXPECT_THROW(read_samples(folder / "samples.bin", extent), InputError);
}

TEST(SampleLog, MissingFileIsAnInputError) {
  const support::TemporaryFolder folder;
  EXPECT_THROW(SampleLogReader(folder / "none"), InputError);
}

}  // namespace
}  // namespace regatta::results
