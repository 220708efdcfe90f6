#include "evaluate.hpp"

#include <algorithm>
#include <span>

namespace regatta::worker {
namespace {

constexpr std::int64_t most_rows = 256;  // at once
constexpr float threshold = 0.5F;

/// Whether each of the first rows is classified rightly.
void add_hits(const engine::Session& session, const engine::Batch& batch, std::int64_t rows, std::size_t outputs,
              std::vector<bool>& hits) {
  const std::span<const float> output = session.output();
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    const auto of_row = output.subspan(row * outputs, outputs);
    if (!batch.y_int.empty()) {
      hits.push_back(std::ranges::max_element(of_row) - of_row.begin() == batch.y_int[row]);
      continue;
    }
    const auto wanted = batch.y_float.subspan(row * outputs, outputs);
    hits.push_back(std::ranges::equal(
        of_row, wanted, {}, [](float p) { return p > threshold; }, [](float y) { return y > threshold; }));
  }
}

engine::Settings looking(engine::Settings settings, std::int64_t batch) {
  settings.work = engine::Work::evaluate;
  settings.batch = batch;
  settings.weight_decay = 0;
  settings.clip_norm = 0;
  return settings;
}

}  // namespace

bool classifies(const model::Model& model) {
  const auto* network = std::get_if<model::Network>(&model);
  return network != nullptr && network->loss != model::Loss::mse;
}

Evaluator::Evaluator(const Arm& arm, const Part& part)
    : part_(part),
      network_(std::get<model::Network>(arm.model)),
      batch_(std::min(part.rows(), most_rows)),
      backend_(make_backend_beside(arm.device, arm.settings.precision)),
      session_(engine::make_session(arm.model, arm.weights, looking(arm.settings, batch_), *backend_)) {}

Quality Evaluator::operator()(const std::vector<model::Tensor>& weights) {
  session_->load(weights);
  double loss = 0;
  std::vector<bool> hits;
  Part rows;
  for (std::int64_t first = 0; first < part_.rows(); first += batch_) {
    const std::int64_t valid = std::min(batch_, part_.rows() - first);
    const engine::Batch batch = batch_at(part_, first, batch_, rows);
    session_->step(batch);
    session_->wait();
    for (const float each : session_->sample_losses().first(static_cast<std::size_t>(valid)))
      loss += static_cast<double>(each);
    if (network_.loss == model::Loss::mse) continue;
    add_hits(*session_, batch, valid, session_->output().size() / static_cast<std::size_t>(batch_), hits);
  }
  const auto count = static_cast<double>(part_.rows());
  Quality quality{loss / count, std::nullopt, std::move(hits)};
  if (network_.loss != model::Loss::mse)
    quality.accuracy = static_cast<double>(std::ranges::count(quality.hits, true)) / count;
  return quality;
}

}  // namespace regatta::worker
