// Kernels chosen by timing: no choice changes a bit, choices are kept in a file and read again.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/passes/choices_file.hpp"
#include "engine/passes/passes.hpp"
#include "engine/support.hpp"
#include "regatta/engine/backend.hpp"
#include "regatta/engine/cpu_backend.hpp"

namespace regatta::engine {
namespace {

std::string fresh_file(const std::string& name) {
  const auto path = std::filesystem::path(testing::TempDir()) / (name + std::to_string(::getpid()));
  std::filesystem::remove(path);
  return path.string();
}

/// The operand that the operation writes, computed in pieces of its units as threads would.
std::vector<float> result_of(Backend& backend, const OpSpec& spec, std::int64_t pieces) {
  Random random(7);
  std::array<std::vector<float>, kOperands> memories;
  std::array<void*, kOperands> pointers{};
  std::array<std::int64_t, kOperands> bytes = operand_bytes(spec);
  bytes[kScratch] = backend.scratch_bytes(spec);
  for (std::size_t i = 0; i < kOperands; ++i) {
    memories[i] = uniform_floats(random, i == kScratch ? 0 : bytes[i] / 4);
    memories[i].resize(static_cast<std::size_t>(bytes[i]) / 4);
    pointers[i] = memories[i].data();
  }
  const BoundCalls bound = backend.bind(spec, pointers);
  for (int i = 0; i < bound.count; ++i) {
    const Call& call = bound.calls[static_cast<std::size_t>(i)];
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const std::int64_t begin = call.units * piece / pieces, end = call.units * (piece + 1) / pieces;
      if (begin < end) call.launch(call, begin, end);
    }
  }
  return memories[2];
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

OpSpec with_choice(OpSpec spec, const KernelChoice& choice) {
  std::visit(
      [&](auto& op) {
        if constexpr (requires { op.choice; }) op.choice = choice;
      },
      spec);
  return spec;
}

void expect_same_bits(const OpSpec& spec, Random& random) {
  for (const Isa isa : supported_isas()) {
    const auto backend = cpu::make_backend({.isa = isa});
    const std::vector<float> expected = result_of(*backend, spec, 1);
    for (int i = 0; i < 4; ++i) {
      const KernelChoice choice{static_cast<std::int32_t>(uniform(random, 0, 300)),
                                static_cast<std::int32_t>(uniform(random, 0, 2))};
      const std::int64_t pieces = uniform(random, 1, 5);
      EXPECT_TRUE(same_bits(expected, result_of(*backend, with_choice(spec, choice), pieces)))
          << name_of(spec) << " on " << isa_name(isa) << " in " << pieces << " pieces, rows at once "
          << choice.rows_at_once << ", layout " << choice.b_layout;
    }
  }
}

TEST(Choosing, NoChoiceAndNoSplitChangesABitOfAProduct) {
  Random random(test_seed());
  for (int i = 0; i < 20; ++i) {
    MatMul op{.m = uniform(random, 1, 400), .n = uniform(random, 1, 150), .k = uniform(random, 1, 500)};
    op.transpose_a = uniform(random, 0, 1) == 1;
    op.transpose_b = uniform(random, 0, 1) == 1;
    op.add_to_c = op.transpose_a && i % 2 == 0;
    expect_same_bits(op, random);
  }
}

TEST(Choosing, NoChoiceAndNoSplitChangesABitOfAConvolution) {
  Random random(test_seed());
  for (int i = 0; i < 12; ++i) {
    Conv1dShape s{};
    s.batch = uniform(random, 1, 30);
    s.channels = uniform(random, 1, 40);
    s.filters = uniform(random, 1, 70);
    s.stride = uniform(random, 1, 3);
    s.taps = uniform(random, 1, 12);
    const bool same = i % 2 == 0;
    s.length = uniform(random, same ? 1 : s.taps, 60);
    s.positions = same ? (s.length + s.stride - 1) / s.stride : (s.length - s.taps) / s.stride + 1;
    s.pad = same ? (std::max((s.positions - 1) * s.stride + s.taps, s.length) - s.length) / 2 : 0;
    expect_same_bits(Conv1d{s}, random);
    expect_same_bits(Conv1dKernelGradient{s}, random);
    expect_same_bits(Conv1dInputGradient{s}, random);
  }
}

const model::Network kWide{"wide",
                           {600},
                           {model::Dense{200, Activation::relu}, model::Dense{3, Activation::softmax}},
                           model::Loss::sparse_categorical_crossentropy,
                           model::Adam{0.01}};

TEST(Choosing, ChoicesAreKeptInTheFileAndReadAgain) {
  TestSettings settings;
  settings.choices_file = fresh_file("choices");
  const auto weights = model::initial_weights(kWide, 1);
  EXPECT_TRUE(make_session(kWide, weights, settings)->plan().choices.empty()) << "no time was given";
  settings.choosing_seconds = 5;
  const auto timed = make_session(kWide, weights, settings)->plan().choices;
  ASSERT_FALSE(timed.empty());
  settings.choosing_seconds = 0;
  EXPECT_EQ(make_session(kWide, weights, settings)->plan().choices, timed);
  settings.mode = Mode::eager;
  EXPECT_EQ(make_session(kWide, weights, settings)->plan().choices, timed);
  settings.threads = 2;
  EXPECT_TRUE(make_session(kWide, weights, settings)->plan().choices.empty()) << "two threads are another question";
}

TEST(Choosing, AChosenKernelChangesNoBitOfAStep) {
  Random random(test_seed());
  const OwnedBatch batch = random_batch(random, kWide, 32);
  const auto weights = model::initial_weights(kWide, 1);
  TestSettings settings;
  const auto plain = make_session(kWide, weights, settings);
  settings.choices_file = fresh_file("forced");
  std::ofstream(settings.choices_file) << "52 1 " << plain->plan().isa << " 1 matmul 32 200 600 nn\n";
  const auto forced = make_session(kWide, weights, settings);
  ASSERT_EQ(forced->plan().choices.size(), 1U);
  EXPECT_EQ(forced->plan().choices[0], "matmul 32 200 600 nn: rows_at_once 52, b_layout 1");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(plain->step(batch.view()), forced->step(batch.view()));
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_EQ(plain->weights()[i].values, forced->weights()[i].values);
}

TEST(ChoicesFile, SkipsWhatIsNoChoiceAndMergesWithOthers) {
  const std::string path = fresh_file("merged");
  std::ofstream(path) << "no choice\n-3 1 negative\n7 2 known key\n4 1\n";
  ChoicesFile file(path);
  EXPECT_EQ(file.find("negative"), nullptr);
  ASSERT_NE(file.find("known key"), nullptr);
  EXPECT_EQ(*file.find("known key"), (KernelChoice{7, 2}));
  std::ofstream(path) << "1 1 of another process\n";
  file.add("mine", {13, 0});
  file.save();
  ChoicesFile again(path);
  ASSERT_NE(again.find("of another process"), nullptr);
  ASSERT_NE(again.find("mine"), nullptr);
  EXPECT_EQ(*again.find("mine"), (KernelChoice{13, 0}));
}

TEST(ChoicesFile, IsDoneWithoutWhereItCannotBe) {
  ChoicesFile nowhere("/proc/no/such/folder/choices");
  nowhere.add("key", {1, 1});
  nowhere.save();
  ASSERT_NE(nowhere.find("key"), nullptr);
  EXPECT_EQ(nowhere.find("other"), nullptr);
}

}  // namespace
}  // namespace regatta::engine
