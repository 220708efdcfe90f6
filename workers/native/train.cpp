#include "train.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>

#include "batches/pipeline.hpp"
#include "checkpoint.hpp"
#include "evaluate.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/batches.hpp"
#include "regatta/data/loader.hpp"

namespace regatta::worker {
namespace {

constexpr double tell_interval_seconds = 1;
constexpr double checkpoint_interval_seconds = 5;

std::vector<std::string> metrics_of(const Arm& arm, const TrainPlan& plan) {
  std::vector<std::string> metrics = {sweep::train_loss};
  if (plan.validation == 0) return metrics;
  metrics.emplace_back(sweep::validation_loss);
  if (classifies(arm.model)) metrics.emplace_back(sweep::validation_accuracy);
  return metrics;
}

/// Samples of a step, over all ranks together.
std::int64_t batch_of_step(const Arm& arm) { return arm.settings.batch * arm.settings.ranks; }

/// One run of the arm's trial. All its ranks evaluate and decide alike; rank 0 keeps the checkpoint.
class Run {
 public:
  Run(Arm& arm, const DataSet& data, const protocol::Train& request)
      : arm_(arm),
        request_(request),
        plan_(plan_of(request, rows_in(data), batch_of_step(arm))),
        rates_(rates_of(arm.parameters, arm.model, plan_.steps)) {
    const std::vector<std::uint32_t> rows = split_rows(plan_, arm.settings.seed);
    const auto held_out = static_cast<std::size_t>(plan_.validation);
    training_ = rows_of(data, std::span(rows).subspan(held_out));
    if (held_out > 0) {
      validation_ = rows_of(data, std::span(rows).first(held_out));
      evaluator_.emplace(arm, validation_);
    }
    find_metric();
    begin(data);
  }

  sweep::Learned leg(const TellLearned& tell) {
    const std::int64_t first = plan_.evaluations[evaluation_at(plan_, request_.from)];
    const std::int64_t last = plan_.evaluations[evaluation_at(plan_, request_.to)];
    told_seconds_ = saved_seconds_ = steady_seconds();
    if (!state_.is_over && state_.step < last) {
      go_on_from_here();
      while (state_.step < last && !state_.is_over) step(tell);
      save();
    }
    return part_of(first, last);
  }

 private:
  void find_metric() {
    const std::vector<std::string> metrics = metrics_of(arm_, plan_);
    const auto found = std::ranges::find(metrics, request_.metric);
    if (found == metrics.end()) {
      std::string known;
      for (const std::string& metric : metrics) known += (known.empty() ? "" : ", ") + metric;
      throw InputError("objective.metric is " + request_.metric + ", which this model does not have (it has " + known +
                       "); choose one of these");
    }
    metric_ = static_cast<std::size_t>(found - metrics.begin());
    state_.learned.curve.metrics = metrics;
  }

  void begin(const DataSet& data) {
    if (auto saved = read_checkpoint(request_.checkpoint_path)) state_ = std::move(*saved);
    state_.learned.training_samples = plan_.training;
    state_.learned.validation_samples = plan_.validation;
    state_.learned.test_samples = model::tensor_named(data.tensors, "test_x").shape.front();
    state_.learned.repeated_samples = number_in(data.tensors, data::repeated_samples);
  }

  void go_on_from_here() {
    if (state_.step > 0)
      arm_.session->restore(state_.weights, state_.optimizer);
    else
      arm_.session->load(arm_.weights);
    data::LoaderOptions options = options_for_training(plan_, arm_.settings.seed, state_.step);
    options.plan.ranks = arm_.settings.ranks;
    options.plan.rank = rank();
    options.threads = arm_.feeding.loader_threads;
    options.depth = arm_.feeding.loader_depth;
    loader_ = std::make_unique<data::Loader>(arrays_of(training_), std::move(options));
    segment_seconds_ = steady_seconds();
  }

  void step(const TellLearned& tell) {
    arm_.session->set_learning_rate(learning_rate_at(rates_, state_.step));
    {
      const auto loaded = loader_->next();
      arm_.session->step(batch_in(*loader_, *loaded));
      arm_.session->wait();
    }
    state_.loss_sum += static_cast<double>(arm_.session->mean_loss());
    ++state_.loss_count;
    ++state_.step;
    const bool evaluates = std::binary_search(plan_.evaluations.begin() + 1, plan_.evaluations.end(), state_.step);
    if (evaluates) evaluate();
    const double now = steady_seconds();
    if (now - saved_seconds_ >= checkpoint_interval_seconds) save();
    if (now - told_seconds_ < tell_interval_seconds) return;
    told_seconds_ = now;
    tell(since(told_step_));
    told_step_ = state_.step;
  }

  [[nodiscard]] std::int64_t rank() const { return arm_.group ? arm_.group->rank : 0; }

  /// Until now the time is training's.
  void end_segment() {
    const double now = steady_seconds();
    state_.train_seconds += now - segment_seconds_;
    segment_seconds_ = now;
  }

  void evaluate() {
    end_segment();
    sweep::CurvePoint point{state_.step, state_.step * plan_.batch, state_.train_seconds, 0, {}};
    point.values.push_back(state_.loss_sum / static_cast<double>(state_.loss_count));
    state_.loss_sum = 0;
    state_.loss_count = 0;
    if (evaluator_) {
      const Quality quality = (*evaluator_)(arm_.session->weights());
      point.values.push_back(quality.loss);
      if (quality.accuracy) point.values.push_back(*quality.accuracy);
    }
    const double now = steady_seconds();
    state_.evaluate_seconds += now - segment_seconds_;
    segment_seconds_ = now;
    point.evaluate_seconds = state_.evaluate_seconds;
    state_.learned.curve.points.push_back(std::move(point));
    judge(state_.learned.curve.points.back());
  }

  [[nodiscard]] bool is_better(double value, double than, double by) const {
    if (std::isnan(value)) return false;
    if (std::isnan(than)) return true;
    return request_.maximizes ? value > than + by : value < than - by;
  }

  /// Whether it is the best so far, and whether the run goes on.
  void judge(const sweep::CurvePoint& point) {
    const double value = point.values[metric_];
    sweep::Learned& learned = state_.learned;
    const double best = learned.best.empty() ? std::nan("") : learned.best[metric_];
    if (std::isfinite(value) && is_better(value, best, 0)) {
      learned.best = point.values;
      learned.best_step = point.step;
      state_.best = arm_.session->weights();
    }
    const bool is_finite = std::isfinite(point.values[0]) && (!evaluator_ || std::isfinite(point.values[1]));
    const bool gains = is_better(value, state_.gained, request_.min_delta);
    if (gains) state_.gained = value;
    state_.without_gain = gains ? 0 : state_.without_gain + 1;
    const bool stops = request_.patience && state_.without_gain >= *request_.patience;
    state_.is_over = !is_finite || stops;
    if (stops) learned.end = sweep::LegEnd::stopped;
    if (!is_finite) learned.end = sweep::LegEnd::diverged;
  }

  void save() {
    end_segment();
    state_.weights = arm_.session->weights();
    state_.optimizer = arm_.session->optimizer_state();
    if (rank() == 0) write_checkpoint(request_.checkpoint_path, state_);
    saved_seconds_ = segment_seconds_ = steady_seconds();
  }

  [[nodiscard]] sweep::Learned part_of(std::int64_t first, std::int64_t last) const {
    sweep::Learned part = state_.learned;
    std::erase_if(part.curve.points,
                  [&](const sweep::CurvePoint& point) { return point.step <= first || point.step > last; });
    return part;
  }

  [[nodiscard]] sweep::Learned since(std::int64_t step) const { return part_of(step, state_.step); }

  Arm& arm_;
  const protocol::Train& request_;
  TrainPlan plan_;
  Rates rates_;
  Part training_;
  Part validation_;
  std::optional<Evaluator> evaluator_;
  std::size_t metric_ = 0;
  RunState state_;
  std::unique_ptr<data::Loader> loader_;
  double segment_seconds_ = 0;  ///< when the time that is training's began
  double told_seconds_ = 0;
  double saved_seconds_ = 0;
  std::int64_t told_step_ = 0;
};

sweep::Learned test(const Arm& arm, const DataSet& data, const std::filesystem::path& checkpoint) {
  const auto state = read_checkpoint(checkpoint);
  if (!state || state->best.empty())
    throw std::runtime_error("the run has no best weights to test (its checkpoint is gone?); run it again elsewhere");
  const Part part = test_part(data);
  const Quality quality = Evaluator(arm, part)(state->best);
  sweep::Learned learned = state->learned;
  learned.curve.points.clear();
  learned.test_loss = quality.loss;
  learned.test_accuracy = quality.accuracy;
  if (part.rows() <= sweep::most_hits) learned.test_hits = sweep::hits_text(quality.hits);
  return learned;
}

}  // namespace

sweep::Learned train(Arm& arm, const DataSet& data, const protocol::Train& request, const TellLearned& tell) {
  if (!std::holds_alternative<model::Network>(arm.model))
    throw InputError(model::name_of(arm.model) + " is no network (only these are trained); name a model of layers");
  if (request.tests) return test(arm, data, request.checkpoint_path);
  return Run(arm, data, request).leg(tell);
}

}  // namespace regatta::worker
