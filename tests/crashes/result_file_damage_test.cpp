// A damaged NAME.h5 is refused before anything reads a number of it. Files that are damaged and sealed again, which
// only somebody makes who wants to, are those of tests/process/hostile_files.py.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "damage.hpp"
#include "effort.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/unique_fd.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/store.hpp"
#include "results/files_and_messages.hpp"
#include "results/sample_sweep.hpp"
#include "scratch.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::crashes {
namespace {

class ResultFileDamage : public testing::Test {
 protected:
  ResultFileDamage() {
    results::write_whole_store(scratch_.path() / "small.regatta", results::sample_sweep());
    results::write_results(file_, results::collect(scratch_.path() / "small.regatta"));
    whole_ = results::slurp(file_);
  }

  [[nodiscard]] bool is_refused() const {
    try {
      results::read_results(file_);
      return false;
    } catch (const InputError& error) {
      return std::string(error.what()).find(file_.string()) != std::string::npos;
    }
  }

  void put(std::size_t at, char byte) const {
    const UniqueFd fd(::open(file_.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::pwrite(fd.get(), &byte, 1, static_cast<off_t>(at)), 1);
  }

  support::TemporaryFolder scratch_{memory_folder()};
  std::filesystem::path file_ = scratch_.path() / "small.h5";
  std::string whole_;
};

TEST_F(ResultFileDamage, FlippedBitAnywhereIsRefused) {
  simulation::Random random(chosen_seed());
  const std::size_t step = is_whole() ? 7 : 499;
  std::uint64_t tried = 0;
  for (std::size_t at = 0; at < whole_.size(); at += step, ++tried) {
    put(at, static_cast<char>(whole_[at] ^ (1 << random.below(8))));
    ASSERT_TRUE(is_refused()) << "byte " << at << " of seed " << chosen_seed();
    put(at, whole_[at]);
  }
  EXPECT_FALSE(is_refused());
  std::cout << "NAME.h5, a flipped bit: " << tried << " files, all refused (seed " << chosen_seed() << ")\n";
}

TEST_F(ResultFileDamage, WhateverIsDamagedIsRefused) {
  simulation::Random random(chosen_seed());
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < whole_.size(); at += 4096) starts.push_back(at);
  std::uint64_t refused = 0;
  const int count = is_whole() ? 20'000 : 400;
  for (int number = 0; number < count; ++number) {
    const Damaged damage = damaged(whole_, starts, random);
    if (damage.bytes == whole_) continue;  // zero bytes over zero bytes
    results::spill(file_, damage.bytes);
    ASSERT_TRUE(is_refused()) << number << " of seed " << chosen_seed() << ": " << damage.how;
    ++refused;
  }
  std::cout << "NAME.h5, damaged by the dice: " << refused << " files, all refused (seed " << chosen_seed() << ")\n";
}

}  // namespace
}  // namespace regatta::crashes
