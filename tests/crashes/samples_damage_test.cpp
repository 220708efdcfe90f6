// Samples that are damaged are refused with their file and place: never other numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "damage.hpp"
#include "effort.hpp"
#include "regatta/base/error.hpp"
#include "regatta/results/store.hpp"
#include "results/files_and_messages.hpp"
#include "results/journal/memory_log_file.hpp"
#include "results/sample_sweep.hpp"
#include "scratch.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::crashes {
namespace {

/// Pieces of several sizes, one after the other.
struct SampleFile {
  results::MemoryDisk disk = {};
  std::vector<std::vector<stats::Sample>> samples = {};
  std::vector<results::SampleExtent> extents = {};
  std::vector<std::size_t> starts = {};

  SampleFile() {
    const results::SampleSweep sample = results::sample_sweep();
    results::SampleLogWriter writer(std::make_unique<results::MemoryLogFile>(disk));
    for (std::uint32_t piece = 0; piece < 12; ++piece) {
      samples.push_back(results::block_samples(sample.plan, {piece % 2}, piece));
      extents.push_back(writer.append(samples.back()));
      starts.push_back(extents.back().offset_bytes);
    }
    writer.sync();
  }

  /// How many pieces are refused. Throws Violation unless those before the damage are what they were, and all others
  /// too or refused.
  std::uint64_t judge(const std::string& bytes) const {
    results::MemoryDisk damaged{bytes};
    const results::SampleLogReader reader(std::make_shared<results::MemoryLogFile>(damaged, "samples.bin"));
    const std::size_t at = first_damaged(disk.bytes, bytes);
    std::uint64_t refused = 0;
    for (std::size_t piece = 0; piece < extents.size(); ++piece) {
      const std::size_t end = extents[piece].offset_bytes + samples[piece].size() * sizeof(stats::Sample);
      try {
        const auto read = reader.read(extents[piece]);
        if (read.size() != samples[piece].size() ||
            std::memcmp(read.data(), samples[piece].data(), read.size() * sizeof(stats::Sample)) != 0)
          throw Violation("other numbers are read");
      } catch (const InputError& error) {
        const std::string place = fmt::format("at byte {}", extents[piece].offset_bytes);
        if (std::string(error.what()).find(place) == std::string::npos) throw Violation("no place is named");
        if (end <= at) throw Violation("samples before the damage are refused");
        ++refused;
      }
    }
    return refused;
  }
};

TEST(SamplesDamage, CutOrFlippedBitAnywhereIsRefused) {
  const SampleFile file;
  std::uint64_t tried = 0;
  for (std::size_t bytes = 0; bytes < file.disk.bytes.size(); ++bytes, ++tried) {
    SCOPED_TRACE(fmt::format("{} bytes", bytes));
    std::uint64_t refused = 0;
    ASSERT_NO_THROW(refused = file.judge(file.disk.bytes.substr(0, bytes)));
    ASSERT_GE(refused, 1U);
  }
  for (std::size_t bit = 0; bit < 8 * file.disk.bytes.size(); bit += is_whole() ? 1 : 5, ++tried) {
    SCOPED_TRACE(fmt::format("bit {}", bit));
    std::uint64_t refused = 0;
    ASSERT_NO_THROW(refused = file.judge(flipped(file.disk.bytes, bit)));
    ASSERT_EQ(refused, 1U) << "the piece that holds it";
  }
  std::cout << "samples.bin, cut at every byte, flipped bits: " << tried << " files, " << tried
            << " with a refusal, 0 wrong\n";
}

TEST(SamplesDamage, WhateverIsDamagedIsRefusedOrWhatItWas) {
  const SampleFile file;
  simulation::Random random(chosen_seed());
  const int count = is_whole() ? 100'000 : 3'000;
  std::uint64_t refused = 0;
  for (int number = 0; number < count; ++number) {
    const Damaged damage = damaged(file.disk.bytes, file.starts, random);
    SCOPED_TRACE(fmt::format("{} of seed {}: {}", number, chosen_seed(), damage.how));
    std::uint64_t pieces = 0;
    ASSERT_NO_THROW(pieces = file.judge(damage.bytes));
    refused += pieces > 0 ? 1 : 0;
  }
  std::cout << "samples.bin, damaged by the dice: " << count << " files, " << refused << " with a refusal, 0 wrong\n";
}

TEST(SamplesDamage, ResultsAreNotMadeOfThem) {
  const support::TemporaryFolder scratch(memory_folder());
  const std::filesystem::path folder = scratch.path() / "small.regatta";
  results::write_whole_store(folder, results::sample_sweep());
  const std::string whole = results::slurp(results::samples_file(folder));
  for (std::size_t at = 0; at < whole.size(); at += is_whole() ? 1 : 7) {
    results::spill(results::samples_file(folder), flipped(whole, 8 * at + at % 8));
    const std::string text = results::message_of<InputError>([&] { results::collect(folder); });
    ASSERT_NE(text.find("samples.bin' is damaged"), std::string::npos) << at << text;
  }
}

}  // namespace
}  // namespace regatta::crashes
