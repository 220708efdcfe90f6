// Damaged sweep files: each is either a valid sweep or an InputError that names its file; nothing else ever.
#include <gtest/gtest.h>

#include "regatta/base/random.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

const std::string whole =
    file_with(R"("task": "benchmark", "axes": {"engine": ["native@f", "numpy", "command", "jax?"], "mode": ["eager"],
  "model": ["mlp-10", {"name": "odd", "input": [13], "layers": [{"dense": 29, "activation": "tanh"}, {"dropout": 0.5}],
  "loss": "mse", "optimizer": {"adam": {"learning_rate": 0.003}}}], "batch": [1, 32], "command": "c",
  "seed": {"uniform": [0, 9]}, "threads": {"linear": [1, 4], "step": 3}, "length": [140, 1400]},
  "zip": ["batch", "length"], "samples": 3, "sample_seed": 7,
  "when": [{"if": {"engine": ["numpy", "jax"]}, "axes": {"timing": ["steady"]}}],
  "include": [{"batch": {"geometric": [2, 8], "factor": 2}, "mode": "graph"}],
  "exclude": [{"model": "odd", "batch": 1}], "repeats": 2,
  "compare": {"over": ["engine", "repeat"], "baseline": {"engine": "numpy", "repeat": 0}, "pairs": "baseline"},
  "measure": {"margin": "1%", "half_width": "1%", "per_contrast": "20s", "total": "10m", "metric": "time_per_sample"},
  "limits": {"trial_timeout": "300s", "attempts": 3, "memory": "8GiB"},
  "environments": {"f": {"engine": "native", "program": ["x/y"], "env": {"A": "b"}}},
  "commands": {"c": {"argv": ["./run", "1"], "metric": "json:t"}})");

/// Whether the sweep is worth planning in a test.
bool is_small(const Sweep& sweep) {
  double points = static_cast<double>(sweep.repeats);
  for (const Axis& axis : sweep.axes) points *= static_cast<double>(axis.levels.size());
  for (const auto& include : sweep.includes) {
    for (const Axis& axis : include) points *= static_cast<double>(axis.levels.size());
  }
  return points < 20'000;
}

/// Empty if the text behaves.
std::string misbehaviour(const std::string& text) {
  try {
    const Sweep sweep = parse_sweep(text, "s.json");
    if (is_small(sweep)) make_plan(sweep);
  } catch (const InputError& error) {
    return std::string(error.what()).starts_with("s.json") ? "" : error.what();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

TEST(Mutation, TheWholeFileIsValid) { EXPECT_EQ(error_of(whole), "no error"); }

TEST(Mutation, EveryCutIsRefused) {
  for (std::size_t size = 0; size <= whole.rfind('}'); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_EQ(misbehaviour(cut), "") << size;
    EXPECT_NE(error_of(cut), "no error") << size;
  }
}

TEST(Mutation, RandomEdits) {
  const std::string bytes = "\"\"{}[]:,\\0123456789eE+-.tfn\n\xff\x80 ab/";
  for (std::uint64_t round = 0; round < 4000; ++round) {
    std::string text = whole;
    for (std::uint64_t edit = 0; edit <= random_bits(round, 0) % 3; ++edit) {
      const std::size_t at = random_bits(round, 4 * edit + 1) % text.size();
      const char byte = bytes[random_bits(round, 4 * edit + 2) % bytes.size()];
      const auto kind = random_bits(round, 4 * edit + 3) % 3;
      if (kind == 0) text[at] = byte;
      if (kind == 1) text.insert(at, 1, byte);
      if (kind == 2) text.erase(at, 1 + random_bits(round, 4 * edit + 4) % 20);
    }
    ASSERT_EQ(misbehaviour(text), "") << text;
  }
}

TEST(Mutation, EveryValueReplacedByAnotherKind) {
  for (const std::string value :
       {"null", "true", "-1", "0", "1e300", "9223372036854775807", "\"\"", "\"x\"", "[]", "{}", "[[]]", "[{}]"}) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      if (whole[at] != ':') continue;
      const std::size_t end = whole.find_first_of(",]}", at);
      ASSERT_EQ(misbehaviour(whole.substr(0, at + 1) + value + whole.substr(end)), "") << at << value;
    }
  }
}

}  // namespace
}  // namespace regatta::sweep
