#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "commands/commands.hpp"
#include "os/scratch_folder.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/model/checkpoints.hpp"
#include "regatta/model/tensors.hpp"
#include "results/sample_sweep.hpp"
#include "results/training_store.hpp"

namespace regatta::launcher {
namespace {

namespace fs = std::filesystem;

/// Two trials, each under two seeds: each run has a checkpoint of its own.
class KeptWeights : public testing::Test {
 protected:
  ScratchFolder scratch{"kept-weights"};
  fs::path folder = scratch.path / "learns.regatta";
  fs::path out = scratch.path / "weights";
  results::Results results;
  std::vector<std::size_t> all;

  void SetUp() override {
    const results::TrainingSweep made = results::training_sweep();
    {
      results::StoreWriter writer(folder, made.sweep, made.plan, results::sample_provenance(made.sweep.text));
      writer.agent(results::sample_agent());
      for (const std::uint32_t block : {0U, 1U, 2U, 3U}) {
        sweep::Learned learned = results::learned(0.5 + block / 10.0);
        learned.checkpoint = "run" + std::to_string(block) + ".safetensors";
        writer.result(results::trained_block(made.plan, {block}, learned), {});
        keep(learned.checkpoint, static_cast<float>(block));
      }
      writer.end_session();
    }
    results = results::collect(folder);
    for (std::size_t leg = 0; leg < results.legs.size(); ++leg) all.push_back(leg);
  }

  void keep(const std::string& name, float value) const {
    fs::create_directories(folder / "checkpoints");
    write(name, {{"weights/0.bias", {1}, std::vector<float>{-1}}, {"best/0.bias", {1}, std::vector<float>{value}}});
  }

  /// As the native engine does.
  void write(const std::string& name, std::vector<model::Tensor> tensors) const {
    tensors.push_back(model::state_tensor("7 0\n" + name + "\n{}"));
    model::seal(tensors);
    model::write_safetensors(folder / "checkpoints" / name, tensors);
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(out)) found.push_back(entry.path().filename().string());
    return found;
  }

  [[nodiscard]] std::string refused() const {
    try {
      write_kept_weights(results, all, folder, out);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(KeptWeights, AreNamedByTheAxesThatVaryAndTheSeed) {
  EXPECT_EQ(write_kept_weights(results, all, folder, out), 4U);
  EXPECT_THAT(names(), testing::UnorderedElementsAre(
                           "learning_rate-0.01_seed-0.safetensors", "learning_rate-0.01_seed-1.safetensors",
                           "learning_rate-0.1_seed-0.safetensors", "learning_rate-0.1_seed-1.safetensors"));
}

TEST_F(KeptWeights, AreTheBestOnesAndSayWhoseTheyAre) {
  write_kept_weights(results, {1}, folder, out);
  ASSERT_EQ(names().size(), 1U);
  const fs::path file = out / names().front();
  const auto tensors = model::read_safetensors(file);
  ASSERT_EQ(tensors.size(), 1U);
  EXPECT_EQ(tensors.front().name, "0.bias");
  const std::string checkpoint = results.legs[1].learned.checkpoint;
  const float expected = checkpoint[3] - '0';
  EXPECT_EQ(std::get<std::vector<float>>(tensors.front().values), std::vector<float>{expected});
  const std::string text = read_file(file);
  EXPECT_THAT(text, testing::HasSubstr("\"trial\":\"" + to_string(results.trials[results.legs[1].trial.value].hash)));
  EXPECT_THAT(text, testing::HasSubstr("\"seed\":\"" + std::to_string(results.legs[1].leg.seed) + "\""));
  EXPECT_THAT(text, testing::HasSubstr("\"validation_accuracy\":\"0."));
}

TEST_F(KeptWeights, OfStagesOfOneRunAreWrittenOnce) {
  for (results::LegRow& leg : results.legs) leg.learned.checkpoint = "run2.safetensors";
  EXPECT_EQ(write_kept_weights(results, all, folder, out), 1U);
}

TEST_F(KeptWeights, OfProgramsThatKeepTheirOwnFilesAreNotWritten) {
  fs::remove(folder / "checkpoints" / "run0.safetensors");
  fs::create_directory(folder / "checkpoints" / "run0.own");
  EXPECT_EQ(write_kept_weights(results, all, folder, out), 3U);
}

TEST_F(KeptWeights, WithoutABestEvaluationAreNotWritten) {
  write("run0.safetensors", {{"weights/0.bias", {1}, std::vector<float>{-1}}});
  EXPECT_EQ(write_kept_weights(results, all, folder, out), 3U);
}

TEST_F(KeptWeights, OfSwappedFilesAreRefusedAndNoneIsWritten) {
  const fs::path checkpoints = folder / "checkpoints";
  fs::rename(checkpoints / "run2.safetensors", checkpoints / "run.safetensors");
  fs::rename(checkpoints / "run3.safetensors", checkpoints / "run2.safetensors");
  fs::rename(checkpoints / "run.safetensors", checkpoints / "run3.safetensors");
  EXPECT_THAT(refused(), testing::HasSubstr("run2.safetensors' cannot be used: it is the checkpoint of another run"));
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(KeptWeights, OfADamagedFileAreRefused) {
  const fs::path file = folder / "checkpoints" / "run1.safetensors";
  std::string bytes = read_file(file);
  const std::size_t at = bytes.find(std::string("\0\0\x80\x3f", 4));  // its best bias, 1
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 1;
  write_file_atomically(file, bytes);
  EXPECT_THAT(refused(), testing::HasSubstr("run1.safetensors' cannot be used: its checksum does not match"));
}

TEST_F(KeptWeights, MayBeReadByWhomTheUmaskLets) {
  write_kept_weights(results, {1}, folder, out);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const auto mode = fs::status(out / names().front()).permissions();
  EXPECT_EQ(static_cast<mode_t>(mode), 0644U & ~mask);
}

TEST_F(KeptWeights, ThatAreNotThereAreRefused) {
  fs::remove_all(folder / "checkpoints");
  EXPECT_THAT(refused(), testing::HasSubstr("checkpoints/run"));
  results.legs.front().learned.checkpoint = "../journal";
  EXPECT_THAT(refused(), testing::HasSubstr("which is no name of a file"));
  for (results::LegRow& leg : results.legs) leg.learned.checkpoint.clear();
  EXPECT_THAT(refused(), testing::HasSubstr("Set \"keep_weights\": true in \"train\""));
}

}  // namespace
}  // namespace regatta::launcher
