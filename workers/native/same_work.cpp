#include "same_work.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "regatta/base/digest.hpp"
#include "regatta/base/random.hpp"

namespace regatta::worker {
namespace {

using Values = std::map<std::string, std::vector<double>>;

constexpr std::size_t projection_count = 8;
constexpr std::size_t probe_size = 21;
constexpr std::array probe_factors = {1.0, 0.5, -0.25};

// Rows of the output of one step.
std::size_t output_rows(const Arm& arm) {
  if (const auto* matmul = std::get_if<model::Matmul>(&arm.model)) return static_cast<std::size_t>(matmul->size);
  return std::holds_alternative<model::Network>(arm.model) ? static_cast<std::size_t>(arm.settings.batch) : 1;
}

// Nothing cancels in the sum, so that it is as precise as the output; a wrong sign still shows.
std::vector<double> compared_values(const Arm& arm, const engine::Session& session) {
  const auto losses = session.sample_losses();
  const auto output = session.output();
  if (!losses.empty() || output.empty()) return {losses.begin(), losses.end()};
  std::vector<double> sums(output_rows(arm));
  const std::size_t columns = output.size() / sums.size();
  for (std::size_t i = 0; i < output.size(); ++i) {
    const double weight = (output[i] < 0 ? -2.0 : 1.0) / static_cast<double>(i % columns + 1);
    sums[i / columns] += weight * static_cast<double>(output[i]);
  }
  return sums;
}

Values values_of(const std::vector<model::Tensor>& tensors) {
  Values found;
  for (const model::Tensor& tensor : tensors) {
    const auto& values = std::get<std::vector<float>>(tensor.values);
    found[tensor.name].assign(values.begin(), values.end());
  }
  return found;
}

std::string hash_of(const std::vector<model::Tensor>& tensors) {
  std::string bytes;
  for (const model::Tensor& tensor : tensors) {
    const auto& values = std::get<std::vector<float>>(tensor.values);
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  }
  return to_string(hash128(bytes));
}

double norm(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

/// Parameters are numbered by their names' order.
protocol::Projections all_projections(const Values& tensors) {
  protocol::Projections found;
  std::uint64_t seed = 0;
  for (const auto& [name, values] : tensors) found[name] = projections(values, seed++);
  return found;
}

Values moved(Values after, const Values& before) {
  for (auto& [name, values] : after) {
    std::ranges::transform(values, before.at(name), values.begin(), std::minus<>());
  }
  return after;
}

/// The optimizer's own kernels on gradients that are given: a dense unit from w = 0 whose inputs are the gradients'
/// sizes, and whose target is set so that the gradient of mse, 2 (w x + b - y) x, is `factor` times x.
std::vector<double> probe(const Arm& arm, const model::Optimizer& optimizer) {
  const model::Network unit{"probe", {probe_size}, {model::Dense{1}}, model::Loss::mse, optimizer};
  engine::Settings alone = arm.settings;
  alone.dropout = false;
  alone.batch = alone.shards = alone.ranks = 1;
  alone.precision = engine::Precision::fp32;  // for products; updates know no other one
  alone.rewrite = engine::Rewrite::none;
  alone.algorithm = engine::Algorithm::direct;
  const auto backend = make_backend_beside(arm.device, alone.precision);
  const auto session = engine::make_session(
      unit, {{"0.kernel", {probe_size, 1}, std::vector<float>(probe_size)}, {"0.bias", {1}, std::vector<float>(1)}},
      alone, *backend);
  std::vector<float> sizes(probe_size);
  for (std::size_t i = 0; i < probe_size; ++i) {
    sizes[i] = static_cast<float>(std::pow(10.0, -10 + 0.5 * static_cast<double>(i)) * (i % 2 == 0 ? 1 : -1));
  }
  for (const double factor : probe_factors) {
    const Values weights = values_of(session->weights());
    double output = weights.at("0.bias").front();
    for (std::size_t i = 0; i < probe_size; ++i) output += weights.at("0.kernel")[i] * static_cast<double>(sizes[i]);
    const std::vector<float> target = {static_cast<float>(output - factor / 2)};
    session->step({sizes, target, {}});
  }
  return values_of(session->weights()).at("0.kernel");
}

}  // namespace

std::vector<double> projections(std::span<const double> values, std::uint64_t seed) {
  std::array<double, projection_count> sums{};
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    bits = i % 8 == 0 ? random_bits(seed, i / 8) : bits >> 8;
    for (std::size_t k = 0; k < projection_count; ++k) sums[k] += (bits >> k & 1) != 0 ? values[i] : -values[i];
  }
  std::vector<double> found = {norm(values)};
  found.insert(found.end(), sums.begin(), sums.end());
  return found;
}

namespace {

using Tensors = std::vector<model::Tensor>;

/// How far weights are moved to see what rounding does, relative: eight last places of fp32, for steps round often, and
/// one of coarser types, whose products are summed in fp32 and rounded once.
float shake_of(engine::Precision precision) {
  switch (precision) {
    case engine::Precision::fp32:
      return 0x1p-20F;
    case engine::Precision::tf32:
      return 0x1p-10F;
    case engine::Precision::bf16:
      return 0x1p-7F;
  }
  throw InternalError("a precision that is not known");
}

/// Each weight moved up or down by the same share, by chance.
Tensors shaken(Tensors weights, std::uint64_t draw, float size) {
  std::uint64_t seed = draw << 32U;
  for (model::Tensor& tensor : weights) {
    std::uint64_t counter = 0;
    for (float& value : std::get<std::vector<float>>(tensor.values))
      value *= (random_bits(seed, counter++) & 1U) != 0 ? 1 + size : 1 - size;
    ++seed;
  }
  return weights;
}

/// From `weights`, with the other ranks if there are any.
std::unique_ptr<engine::Session> begun_anew(const Arm& arm, const Tensors& weights, const engine::Settings& settings,
                                            engine::Backend& backend) {
  auto session = engine::make_session(arm.model, weights, settings, backend);
  if (arm.group && arm.group->communicator) session->join(*arm.group->communicator, arm.group->patience_seconds);
  if (arm.group && arm.group->devices) session->join(*arm.group->devices);
  return session;
}

bool drops(const model::Network& network) {
  return std::ranges::any_of(network.layers,
                             [](const model::Layer& layer) { return std::holds_alternative<model::Dropout>(layer); });
}

/// Hash of the weights after so many steps as they are timed, dropout included.
std::string hash_with_dropout(const Arm& arm, std::int64_t steps) {
  const auto backend = make_backend_beside(arm.device, arm.settings.precision);
  const auto session = begun_anew(arm, arm.weights, arm.settings, *backend);
  Feeder feeder(arm.feeding, arm.batch_tensors, arm.batches);
  for (std::int64_t i = 0; i < steps; ++i) feeder.step(*session);
  return hash_of(session->weights());
}

/// Gradients of each batch at the same weights: later steps would also tell what updates before them did.
std::vector<protocol::Projections> gradients_of_batches(const Arm& arm, const Tensors& weights,
                                                        const engine::Settings& settings, std::int64_t batches) {
  std::vector<protocol::Projections> found;
  Feeder feeder(arm.feeding, arm.batch_tensors, arm.batches);
  for (std::int64_t i = 0; i < batches; ++i) {
    const auto backend = make_backend_beside(arm.device, settings.precision);
    const auto session = begun_anew(arm, weights, settings, *backend);
    feeder.step(*session);
    found.push_back(all_projections(values_of(session->gradients())));
  }
  return found;
}

}  // namespace

protocol::Checked check(const Arm& arm, const protocol::Check& request) {
  using protocol::CheckAs;
  protocol::Checked checked{request.arm, {}, {}};
  if (request.as == CheckAs::double_precision) return checked;
  engine::Settings settings = arm.settings;
  settings.dropout = false;
  const auto* network = std::get_if<model::Network>(&arm.model);
  const bool is_timed = request.as == CheckAs::timed;
  const Tensors moved_weights =
      is_timed ? Tensors() : shaken(arm.weights, request.as == CheckAs::shaken ? 1 : 2, shake_of(settings.precision));
  const Tensors& weights = is_timed ? arm.weights : moved_weights;
  protocol::Evidence evidence;
  const bool examines = request.evidence && network != nullptr && settings.work == engine::Work::train;
  const bool is_timed_otherwise = examines && is_timed && drops(*network);
  if (is_timed_otherwise) checked.parameter_hash = hash_with_dropout(arm, request.steps);
  if (examines) evidence.gradients = gradients_of_batches(arm, weights, settings, request.steps);
  const auto backend = make_backend_beside(arm.device, settings.precision);
  const auto session = begun_anew(arm, weights, settings, *backend);
  Values before = examines ? values_of(session->weights()) : Values();
  for (const auto& [name, values] : before) evidence.resolution[name] = norm(values) * 0x1p-22;
  Feeder feeder(arm.feeding, arm.batch_tensors, arm.batches);  // these steps are fed as the timed ones
  for (std::int64_t i = 0; i < request.steps; ++i) {
    feeder.step(*session);
    checked.losses.push_back(compared_values(arm, *session));
    if (!examines) continue;
    Values after = values_of(session->weights());
    evidence.updates.push_back(all_projections(moved(after, before)));
    before = std::move(after);
  }
  if (!examines) return checked;
  if (!is_timed_otherwise && is_timed) checked.parameter_hash = hash_of(session->weights());
  evidence.probe = probe(arm, network->optimizer);
  checked.evidence = std::move(evidence);
  return checked;
}

}  // namespace regatta::worker
