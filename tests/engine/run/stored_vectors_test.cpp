// Five training steps of whole models against PyTorch's, which tests/engine/vectors/make_vectors.py stored.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/support.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/tensors.hpp"
#include "support/places.hpp"

namespace regatta::engine {
namespace {

// The vectors are float64's, rounded once: what is left is the rounding of fp32 (6e-8) over sums of some hundred
// products in a few layers. The worst of all models and instruction sets was a third of these or less; leaving out a
// bias, another place of epsilon or a swapped gate are 100 times these or more.
constexpr double kLossTolerance = 1e-6;  // relative to max(1, loss)
// Relative to the tensor's norm, which counts as 1 % of the largest at least.
constexpr double kGradientTolerance = 3e-5;
constexpr double kWeightTolerance = 1e-4;  // relative to the distance that five steps moved the tensor
constexpr double kRounding = 3e-7;         // relative to the weights' norm: each of five steps rounds them

std::filesystem::path vectors_folder() {
  return std::filesystem::path(support::source_folder()) / "tests/engine/vectors";
}

std::vector<std::string> stored_models() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(vectors_folder())) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

using Tensors = std::vector<model::Tensor>;

const std::vector<float>& floats(const model::Tensor& tensor) { return std::get<std::vector<float>>(tensor.values); }

/// The tensors "prefix.NAME", by NAME.
Tensors with_prefix(const Tensors& tensors, const std::string& prefix) {
  Tensors found;
  for (const model::Tensor& tensor : tensors) {
    if (!tensor.name.starts_with(prefix + '.')) continue;
    found.push_back(tensor);
    found.back().name.erase(0, prefix.size() + 1);
  }
  return found;
}

struct Stored {
  model::Network network;
  Tensors tensors;
};

Stored stored(const std::string& name) {
  std::ifstream file(vectors_folder() / (name + ".json"));
  std::stringstream text;
  text << file.rdbuf();
  return {std::get<model::Network>(model::parse_model(text.str())),
          model::read_safetensors(vectors_folder() / (name + ".safetensors"))};
}

template <class T>
std::span<const T> row(const model::Tensor& tensor, std::int64_t index) {
  const auto* const values = std::get_if<std::vector<T>>(&tensor.values);
  if (values == nullptr) return {};
  const std::size_t size = values->size() / static_cast<std::size_t>(tensor.shape[0]);
  return std::span(*values).subspan(static_cast<std::size_t>(index) * size, size);
}

double norm(std::span<const float> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

std::vector<float> difference(std::span<const float> a, std::span<const float> b) {
  std::vector<float> values(a.begin(), a.end());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= b[i];
  return values;
}

void expect_losses(std::span<const float> found, std::span<const float> expected, std::int64_t step) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], kLossTolerance * std::max(1.0F, expected[i]))
        << "step " << step << ", sample " << i;
  }
}

void expect_gradients(const Tensors& found, const Tensors& expected) {
  ASSERT_EQ(found.size(), expected.size());
  double largest = 0;
  for (const model::Tensor& tensor : expected) largest = std::max(largest, norm(floats(tensor)));
  for (const model::Tensor& gradient : found) {
    const model::Tensor& right = model::tensor_named(expected, gradient.name);
    ASSERT_EQ(gradient.shape, right.shape) << gradient.name;
    const double size = std::max(norm(floats(right)), 1e-2 * largest);
    const double apart = norm(difference(floats(gradient), floats(right)));
    EXPECT_LE(apart, kGradientTolerance * size) << gradient.name;
  }
}

void expect_weights(const Tensors& found, const Tensors& initial, const Tensors& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const model::Tensor& weight : found) {
    const model::Tensor& right = model::tensor_named(expected, weight.name);
    const double moved = norm(difference(floats(right), floats(model::tensor_named(initial, weight.name))));
    const double apart = norm(difference(floats(weight), floats(right)));
    EXPECT_LE(apart, kWeightTolerance * moved + kRounding * norm(floats(right))) << weight.name;
  }
}

void expect_stored_steps(const Stored& stored, TestSettings settings) {
  const Tensors initial = with_prefix(stored.tensors, "initial");
  const model::Tensor& x = model::tensor_named(stored.tensors, "x");
  const model::Tensor& y = model::tensor_named(stored.tensors, "y");
  const model::Tensor& losses = model::tensor_named(stored.tensors, "losses");
  settings.batch = x.shape[1];
  settings.dropout = false;
  const auto session = make_session(stored.network, initial, settings);
  for (std::int64_t step = 0; step < losses.shape[0]; ++step) {
    const std::int64_t at = step % x.shape[0];
    session->step({row<float>(x, at), row<float>(y, at), row<std::int32_t>(y, at), row<std::int32_t>(x, at)});
    expect_losses(session->sample_losses(), row<float>(losses, step), step + 1);
    if (step == 0) expect_gradients(session->gradients(), with_prefix(stored.tensors, "gradient"));
  }
  expect_weights(session->weights(), initial, with_prefix(stored.tensors, "final"));
}

class StoredVectors : public testing::TestWithParam<std::string> {};

TEST_P(StoredVectors, FiveStepsOfTheReferenceKernels) {
  TestSettings settings;
  settings.kernels = KernelSet::reference;
  expect_stored_steps(stored(GetParam()), settings);
}

TEST_P(StoredVectors, FiveStepsOfEagerAndGraphBehindThePluginBoundary) {
  for (const Mode mode : {Mode::eager, Mode::graph}) {
    TestSettings settings;
    settings.take(Kernels::plugin);
    settings.mode = mode;
    expect_stored_steps(stored(GetParam()), settings);
  }
}

TEST_P(StoredVectors, FiveStepsOfEagerAndGraphWithEveryInstructionSet) {
  const Stored vectors = stored(GetParam());
  for (const Isa isa : supported_isas()) {
    for (const Mode mode : {Mode::eager, Mode::graph}) {
      SCOPED_TRACE(isa_name(isa) + (mode == Mode::eager ? ", eager" : ", graph"));
      TestSettings settings;
      settings.isa = isa;
      settings.mode = mode;
      expect_stored_steps(vectors, settings);
    }
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(ByPyTorch, StoredVectors, testing::ValuesIn(stored_models()), test_name);

}  // namespace
}  // namespace regatta::engine
