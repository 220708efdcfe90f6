#include "batches/train_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <variant>

#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"
#include "regatta/data/permutation.hpp"
#include "regatta/sweep/capabilities.hpp"

namespace regatta::worker {
namespace {

constexpr std::uint64_t split_stream = 0x73706c6974;  // apart from those of weights, samples and order
constexpr double half = 0.5;

std::int64_t rounded(double value) { return static_cast<std::int64_t>(std::floor(value + half)); }

double rate_of(const model::Model& model) {
  const auto* network = std::get_if<model::Network>(&model);
  if (network == nullptr) return 0;
  return std::visit([](const auto& optimizer) { return optimizer.learning_rate; }, network->optimizer);
}

}  // namespace

TrainPlan plan_of(const protocol::Train& request, const DataRows& rows, std::int64_t batch) {
  TrainPlan plan;
  plan.batch = batch;
  const sweep::TrainingParts parts = sweep::training_parts(rows.all, request.validation, rows.validation);
  if (const auto reason = sweep::no_step_reason(parts, batch)) throw InputError(*reason);
  plan.validation = parts.validation;
  plan.draws_validation = rows.validation == 0 && parts.validation > 0;
  plan.training = parts.training;
  const double of_epochs = request.epochs.value_or(1) * static_cast<double>(plan.training);
  plan.steps =
      request.steps ? *request.steps : std::max<std::int64_t>(1, rounded(of_epochs / static_cast<double>(batch)));
  const std::int64_t count = std::max<std::int64_t>(1, request.evaluations);
  for (std::int64_t i = 0; i <= count; ++i) plan.evaluations.push_back((i * plan.steps + count - 1) / count);
  return plan;
}

std::size_t evaluation_at(const TrainPlan& plan, double part) {
  constexpr double rounding = 1e-9;
  const std::size_t last = plan.evaluations.size() - 1;
  const double at = std::ceil(part * static_cast<double>(last) - rounding);
  return std::min(last, static_cast<std::size_t>(std::max(0.0, at)));
}

std::vector<std::uint32_t> split_rows(const TrainPlan& plan, std::uint64_t seed) {
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(plan.training + plan.validation));
  if (plan.draws_validation) {
    data::Permutation(static_cast<std::int64_t>(rows.size()), random_bits(seed, split_stream)).images(0, rows);
    return rows;
  }
  const auto first_of_training = rows.begin() + plan.validation;
  std::iota(first_of_training, rows.end(), 0U);
  std::iota(rows.begin(), first_of_training, static_cast<std::uint32_t>(plan.training));
  return rows;
}

Rates rates_of(const sweep::Parameters& parameters, const model::Model& model, std::int64_t steps) {
  Rates rates;
  rates.base = real_or(parameters, sweep::Param::learning_rate, rate_of(model));
  if (const auto* name = std::get_if<std::string>(&parameters[sweep::Param::schedule])) rates.schedule = *name;
  rates.warmup = real_or(parameters, sweep::Param::warmup, 0);
  rates.steps = steps;
  return rates;
}

double learning_rate_at(const Rates& rates, std::int64_t step) {
  constexpr double first_drop = 0.5, second_drop = 0.75, dropped = 0.1, dropped_twice = 0.01;
  const std::int64_t warm = rounded(rates.warmup * static_cast<double>(rates.steps));
  if (step < warm) return rates.base * static_cast<double>(step + 1) / static_cast<double>(warm);
  const double part =
      static_cast<double>(step - warm) / static_cast<double>(std::max<std::int64_t>(1, rates.steps - warm));
  if (rates.schedule == "cosine") return rates.base * half * (1 + std::cos(std::numbers::pi * part));
  if (rates.schedule == "linear") return rates.base * (1 - part);
  if (rates.schedule != "step") return rates.base;
  return rates.base * (part < first_drop ? 1 : part < second_drop ? dropped : dropped_twice);
}

}  // namespace regatta::worker
