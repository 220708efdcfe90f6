// A training whose steps several workers share has the bits of one worker's, also where it goes on with more of them.
#include <gmock/gmock.h>

#include "engine/cpu/cpu.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/exchange/shared_memory.hpp"
#include "workers/training.hpp"

namespace regatta::testing {
namespace {

constexpr double exchange_patience_seconds = 60;
constexpr const char* sharded = R"(,"optimizer_state":"sharded")";

class TrainingInRanks : public Training {
 protected:
  using Workers = std::vector<std::unique_ptr<WorkerProcess>>;

  [[nodiscard]] std::string parameters_of(std::size_t ranks) const {
    std::string json = parameters(R"(,"shards":8)" + more);
    const std::string one = R"("ranks":1)";
    return json.replace(json.find(one), one.size(), R"("ranks":)" + std::to_string(ranks));
  }

  /// Prepared and joined; one rank alone joins nobody.
  [[nodiscard]] Workers group_of(std::size_t ranks) const {
    Workers workers;
    protocol::Join join{{0}, {}, stop.path(), exchange_patience_seconds};
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      workers.push_back(start_native(rank % 2 == 1 ? variables_of_odd_ranks : std::vector<std::string>{}));
      protocol::Prepare prepare{
          {0}, sweep::parse_parameters(parameters_of(ranks)), model, (folder.path() / "w").string(), "", ""};
      if (ranks > 1) prepare.rank = rank;
      join.members.push_back(expect_reply<protocol::Prepared>(workers.back()->ask(prepare)).member);
    }
    if (ranks == 1) return workers;
    for (const auto& worker : workers) expect_reply<protocol::Joined>(worker->ask(join));
    return workers;
  }

  /// Each rank's result of a leg.
  std::vector<Learned> train(const Workers& workers, const Train& asked) {
    for (const auto& worker : workers)
      worker->send(protocol::encode(protocol::to_frame(protocol::WorkerRequest(asked))));
    std::vector<Learned> learned;
    for (const auto& worker : workers) {
      auto reply = worker->receive();
      while (std::holds_alternative<protocol::Progress>(reply)) reply = worker->receive();
      learned.push_back(expect_reply<Trained>(reply).learned);
    }
    return learned;
  }

  /// Legs of 2, 8, 1 and 4 ranks, one after the other.
  std::vector<std::vector<double>> in_pieces(const std::string& checkpoint) {
    std::vector<std::vector<double>> pieces;
    for (const auto& [ranks, from, to] :
         {std::tuple(2U, 0.0, 0.25), {8U, 0.25, 0.5}, {1U, 0.5, 0.75}, {4U, 0.75, 1.0}}) {
      for (auto& values : values_of(train(group_of(ranks), request(from, to, checkpoint)).front()))
        pieces.push_back(std::move(values));
    }
    return pieces;
  }

  /// "digits seed 3: weights 5f0c..."
  void print_hash(const std::string& checkpoint) const {
    std::string bytes;
    const auto saved = worker::read_checkpoint(folder.path() / checkpoint);
    ASSERT_TRUE(saved);
    for (const model::Tensor& tensor : saved->weights) {
      const auto& values = std::get<std::vector<float>>(tensor.values);
      bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    }
    std::cout << "digits seed " << seed << ": weights " << to_string(hash128(bytes)) << '\n';
  }

  exchange::Stop stop;
  std::string more;
  std::vector<std::string> variables_of_odd_ranks;
};

TEST_F(TrainingInRanks, HasTheBitsOfOneRank) {
  for (const char* const each : {digits_model, normalizing_model}) {
    model = each;
    write_files();
    const std::string name = each == digits_model ? "dropping " : "normalizing ";
    const auto whole = values_of(train(group_of(1), request(0, 1, name + "one")).front());
    for (const std::size_t ranks : {2U, 4U, 8U}) {
      const std::string own = name + std::to_string(ranks);
      SCOPED_TRACE(own);
      for (const Learned& learned : train(group_of(ranks), request(0, 1, own))) EXPECT_EQ(values_of(learned), whole);
      expect_equal_checkpoints(folder.path() / own, folder.path() / (name + "one"));
    }
  }
}

TEST_F(TrainingInRanks, NormalizesByTheWholeBatchWithTheSameBits) {
  model = normalizing_model;
  write_files();
  const auto by_shard = values_of(train(group_of(1), request(0, 1, "by_shard")).front());
  more = R"(,"batch_statistics":"batch")";
  const auto whole = values_of(train(group_of(1), request(0, 1, "by_batch")).front());
  EXPECT_NE(whole, by_shard);
  for (const std::size_t ranks : {2U, 8U}) {
    const std::string own = "by_batch" + std::to_string(ranks);
    SCOPED_TRACE(own);
    for (const Learned& learned : train(group_of(ranks), request(0, 1, own))) EXPECT_EQ(values_of(learned), whole);
    expect_equal_checkpoints(folder.path() / own, folder.path() / "by_batch");
  }
}

TEST_F(TrainingInRanks, GoesOnWithAnotherNumberOfThem) {
  model = normalizing_model;
  more = R"(,"accumulate":4)";  // a leg ends between two updates
  for (seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    write_files();
    const std::string whole = "whole " + std::to_string(seed), pieces = "pieces " + std::to_string(seed);
    const auto expected = values_of(train(group_of(1), request(0, 1, whole)).front());
    print_hash(whole);
    EXPECT_EQ(in_pieces(pieces), expected);
    expect_equal_checkpoints(folder.path() / pieces, folder.path() / whole);
  }
}

TEST_F(TrainingInRanks, OfTwoInstructionSetsGoesOnWithTheBitsOfOne) {
  if (!engine::cpu::supported(engine::Isa::avx2)) GTEST_SKIP() << "this processor has no AVX2";
  model = digits_model;
  variables_of_odd_ranks = {"REGATTA_ISA=avx2"};
  write_files();
  const auto expected = values_of(train(group_of(1), request(0, 1, "whole")).front());
  print_hash("whole");
  EXPECT_EQ(in_pieces("pieces"), expected);
  expect_equal_checkpoints(folder.path() / "pieces", folder.path() / "whole");
}

TEST_F(TrainingInRanks, OfWhichEachUpdatesItsPartHasTheBitsOfOneRank) {
  for (const char* const each : {digits_model, normalizing_model}) {
    model = each;
    write_files();
    more = "";
    const std::string name = each == digits_model ? "dropping " : "normalizing ";
    const auto whole = values_of(train(group_of(1), request(0, 1, name + "one")).front());
    more = sharded;
    for (const std::size_t ranks : {2U, 4U}) {
      const std::string own = name + std::to_string(ranks);
      SCOPED_TRACE(own);
      for (const Learned& learned : train(group_of(ranks), request(0, 1, own))) EXPECT_EQ(values_of(learned), whole);
      expect_equal_checkpoints(folder.path() / own, folder.path() / (name + "one"));
    }
  }
}

/// Rank 0 saves the moments of all ranks: a checkpoint does not tell who kept them.
TEST_F(TrainingInRanks, GoesOnWhereRanksUpdateTheirParts) {
  model = normalizing_model;
  const std::string accumulates = R"(,"accumulate":4)";  // a leg ends between two updates
  more = accumulates;
  write_files();
  const auto whole = values_of(train(group_of(1), request(0, 1, "whole")).front());
  std::vector<std::vector<double>> pieces;
  const std::tuple<std::size_t, bool, double, double> legs[] = {
      {4, true, 0, 0.25}, {2, false, 0.25, 0.5}, {8, true, 0.5, 0.75}, {1, false, 0.75, 1}};
  for (const auto& [ranks, in_parts, from, to] : legs) {
    more = accumulates + (in_parts ? sharded : "");
    for (auto& values : values_of(train(group_of(ranks), request(from, to, "pieces")).front()))
      pieces.push_back(std::move(values));
  }
  EXPECT_EQ(pieces, whole);
  expect_equal_checkpoints(folder.path() / "pieces", folder.path() / "whole");
}

TEST_F(TrainingInRanks, TestsTheBestWeightsInItsFirstOneAlone) {
  write_files();
  const Workers group = group_of(2);
  train(group, request(0, 1, "c"));
  Train asked = request(1, 1, "c");
  asked.tests = true;
  EXPECT_GT(leg(*group.front(), asked).test_accuracy.value(), 0.9);
}

}  // namespace
}  // namespace regatta::testing
