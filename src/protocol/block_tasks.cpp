#include "protocol/block_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "protocol/packed_parameters.hpp"
#include "regatta/base/bytes.hpp"
#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/sweep/plan.hpp"

namespace regatta::protocol {
namespace {

constexpr std::uint8_t baseline_bit = 1;
constexpr std::uint8_t clone_bit = 2;
constexpr std::uint8_t explains_bit = 4;
constexpr std::uint8_t trains_bit = 8;
constexpr std::uint8_t one_pair_bit = 16;
constexpr std::uint8_t confirms_bit = 32;

// ---- writing ---------------------------------------------------------------------------------------------------

template <class Number>
void put_optional(ByteWriter& out, const std::optional<Number>& value) {
  out.number<std::uint8_t>(value ? 1 : 0);
  if (value) out.number(*value);
}

void put_optional(ByteWriter& out, const std::optional<bool>& value) {
  out.number<std::uint8_t>(value ? 1 : 0);
  if (value) out.number<std::uint8_t>(*value ? 1 : 0);
}

void put(ByteWriter& out, const model::Model& model) { out.text(model::to_json(model)); }

using Texts = std::vector<std::string>;

void put(ByteWriter& out, const Texts& texts) {
  out.list(texts, [&](const std::string& text) { out.text(text); });
}

void put(ByteWriter& out, const sweep::TableKeys& table) {
  out.text(table.delimiter);
  put_optional(out, table.has_header);
  out.text(table.decimal);
  for (const Texts* texts : {&table.missing, &table.columns, &table.drop, &table.categories}) put(out, *texts);
}

void put(ByteWriter& out, const sweep::SplitKeys& split) {
  put_optional(out, split.test);
  put_optional(out, split.stratified);
  put_optional(out, split.order ? std::optional(static_cast<std::uint8_t>(*split.order)) : std::nullopt);
  out.text(split.group_column);
}

void put(ByteWriter& out, const sweep::Dataset& dataset) {
  for (const std::string* text :
       {&dataset.name, &dataset.data, &dataset.labels, &dataset.label_column, &dataset.data_as_written,
        &dataset.labels_as_written, &dataset.test, &dataset.test_labels, &dataset.test_as_written,
        &dataset.test_labels_as_written, &dataset.validation, &dataset.validation_labels,
        &dataset.validation_as_written, &dataset.validation_labels_as_written})
    out.text(*text);
  put_optional(out, dataset.scale);
  out.number(dataset.shift);
  put(out, dataset.table);
  put(out, dataset.split);
}

void put(ByteWriter& out, const sweep::Command& command) {
  out.text(command.name);
  out.list(command.argv, [&](const std::string& word) { out.text(word); });
  out.text(command.metric_key);
  out.text(command.program_as_written);
  out.list(command.results, [&](const std::string& name) { out.text(name); });
  out.number(static_cast<std::uint16_t>(command.variables.size()));
  for (const auto& [name, value] : command.variables) {
    out.text(name);
    out.text(value);
  }
  out.number(static_cast<std::uint8_t>(command.folder));
  out.number(static_cast<std::uint8_t>(command.output));
  out.number(static_cast<std::uint8_t>(command.launch));
  out.list(command.sources, [&](const sweep::ResultSource& source) {
    for (const std::string* text :
         {&source.name, &source.file, &source.pattern, &source.column, &source.key, &source.unit})
      out.text(*text);
  });
  out.hash(command.trial);
}

void put(ByteWriter& out, const sweep::Measure& measure) {
  out.number(measure.margin);
  out.number(measure.half_width);
  out.number(measure.relative_half_width);
  put_optional(out, measure.per_contrast_seconds);
  put_optional(out, measure.total_seconds);
  out.number(static_cast<std::uint8_t>(measure.metric));
  out.text(measure.result ? measure.result->name : "");
  out.number<std::uint8_t>(measure.result && measure.result->better == sweep::Better::higher ? 1 : 0);
  put_optional(out, measure.result_margin);
  put_optional(out, measure.n);
  put_optional(out, measure.slices);
  put_optional(out, measure.steps);
  out.number<std::uint8_t>(measure.explain ? 1 : 0);
  out.number<std::uint8_t>(measure.again ? 1 : 0);
  put_optional(out, measure.same_work.gradient);
  put_optional(out, measure.same_work.loss);
}

void put(ByteWriter& out, const sweep::Training& training) {
  put_optional(out, training.epochs);
  put_optional(out, training.steps);
  out.number(training.evaluations);
  out.number(training.validation);
  out.number(training.seeds);
  out.number<std::uint8_t>(training.early_stop ? 1 : 0);
  const sweep::EarlyStop stop = training.early_stop.value_or(sweep::EarlyStop());
  out.number(stop.patience);
  out.number(stop.min_delta);
  out.number<std::uint8_t>(training.keep_weights ? 1 : 0);
}

void put(ByteWriter& out, const sweep::Objective& objective) {
  out.text(objective.metric);
  out.number<std::uint8_t>(objective.maximizes ? 1 : 0);
  out.number(objective.margin);
}

void put(ByteWriter& out, const sweep::Leg& leg) {
  out.number(static_cast<std::uint8_t>(leg.purpose));
  out.number(leg.seed);
  out.number(leg.rung);
  out.number(leg.from);
  out.number(leg.to);
}

void put(ByteWriter& out, const sweep::Limits& limits) {
  out.number(limits.trial_timeout_seconds);
  out.number(limits.attempts);
  put_optional(out, limits.memory_bytes);
  put_optional(out, limits.failures);
  out.number<std::uint8_t>(limits.retry_timeouts ? 1 : 0);
}

class Packer {
 public:
  std::string operator()(const std::vector<sweep::BlockTask>& tasks) {
    for (const sweep::BlockTask& task : tasks) put_task(task);
    return out_.take();
  }

 private:
  template <class T>
  using Seen = std::vector<const T*>;

  /// Its number; behind a number that was not seen before stands the thing itself.
  template <class T>
  void put_once(Seen<T>& seen, const T& value) {
    const auto found = std::ranges::find_if(seen, [&](const T* other) { return *other == value; });
    out_.number(static_cast<std::uint16_t>(found - seen.begin()));
    if (found != seen.end()) return;
    seen.push_back(&value);
    put(out_, value);
  }

  template <class T>
  void put_once(Seen<T>& seen, const std::optional<T>& value) {
    out_.number<std::uint8_t>(value ? 1 : 0);
    if (value) put_once(seen, *value);
  }

  void put_arm(const sweep::ArmTask& arm) {
    put_changes(out_, arm.parameters, last_);
    out_.number(static_cast<std::uint8_t>(arm.intervention.kind));
    out_.number(arm.intervention.batch);
    put_once(models_, arm.model);
    put_once(commands_, arm.command);
    out_.number(static_cast<std::uint8_t>(arm.launch));
    put_once(datasets_, arm.dataset);
    out_.number(arm.work_per_step);
  }

  void put_task(const sweep::BlockTask& task) {
    out_.hash(task.hash);
    out_.number<std::uint8_t>((task.has_baseline ? baseline_bit : 0) | (task.has_clone ? clone_bit : 0) |
                              (task.explains ? explains_bit : 0) | (task.leg ? trains_bit : 0) |
                              (task.takes_one_pair ? one_pair_bit : 0) | (task.confirms ? confirms_bit : 0));
    put_once(measures_, task.measure);
    put_once(limits_, task.limits);
    if (task.leg) {
      put_once(trainings_, task.training);
      put_once(objectives_, task.objective);
      put(out_, *task.leg);
    }
    out_.number(task.wanted_seconds);
    out_.number(task.planning_seconds);
    put_optional(out_, task.wall_seconds);
    out_.list(task.spreads, [&](const stats::SpreadHistory& spread) {
      for (const double each : spread.log_likelihoods) out_.number(each);
      out_.number(spread.degrees);
    });
    out_.number(task.exclusions);
    out_.number(task.contrasts);
    out_.list(task.families, [&](const sweep::Family& family) {
      out_.number(family.number);
      out_.number(family.contrasts);
    });
    out_.list(task.arms, [&](const sweep::ArmTask& arm) { put_arm(arm); });
  }

  ByteWriter out_;
  sweep::RowValues last_;
  Seen<model::Model> models_;
  Seen<sweep::Command> commands_;
  Seen<sweep::Dataset> datasets_;
  Seen<sweep::Measure> measures_;
  Seen<sweep::Limits> limits_;
  Seen<sweep::Training> trainings_;
  Seen<sweep::Objective> objectives_;
};

// ---- reading ---------------------------------------------------------------------------------------------------

template <class Number>
std::optional<Number> take_optional(ByteReader& in) {
  if (!take_flag(in)) return std::nullopt;
  if constexpr (std::is_same_v<Number, double>)
    return take_real(in);
  else
    return in.number<Number>();
}

void take(ByteReader& in, model::Model& model) { model = model::parse_model(in.text()); }

void take(ByteReader& in, Texts& texts) {
  in.list([&] { texts.push_back(in.text()); });
}

void take(ByteReader& in, sweep::TableKeys& table) {
  table.delimiter = in.text();
  if (take_flag(in)) table.has_header = take_flag(in);
  table.decimal = in.text();
  for (Texts* texts : {&table.missing, &table.columns, &table.drop, &table.categories}) take(in, *texts);
}

void take(ByteReader& in, sweep::SplitKeys& split) {
  split.test = take_optional<double>(in);
  need(std::isfinite(split.test.value_or(0)), "a number is not finite");
  if (take_flag(in)) split.stratified = take_flag(in);
  if (take_flag(in)) split.order = take_choice(in, sweep::RowOrder::time);
  split.group_column = in.text();
}

void take(ByteReader& in, sweep::Dataset& dataset) {
  for (std::string* text :
       {&dataset.name, &dataset.data, &dataset.labels, &dataset.label_column, &dataset.data_as_written,
        &dataset.labels_as_written, &dataset.test, &dataset.test_labels, &dataset.test_as_written,
        &dataset.test_labels_as_written, &dataset.validation, &dataset.validation_labels,
        &dataset.validation_as_written, &dataset.validation_labels_as_written})
    *text = in.text();
  dataset.scale = take_optional<double>(in);
  need(std::isfinite(dataset.scale.value_or(0)), "a number is not finite");
  dataset.shift = take_real(in);
  take(in, dataset.table);
  take(in, dataset.split);
}

void take(ByteReader& in, sweep::Command& command) {
  command.name = in.text();
  in.list([&] { command.argv.push_back(in.text()); });
  command.metric_key = in.text();
  command.program_as_written = in.text();
  in.list([&] { command.results.push_back(in.text()); });
  for (auto left = in.number<std::uint16_t>(); left > 0; --left) {
    std::string name = in.text();
    command.variables[std::move(name)] = in.text();
  }
  command.folder = take_choice(in, sweep::WorkFolder::kept);
  command.output = take_choice(in, sweep::KeptOutput::none);
  command.launch = take_choice(in, sweep::Launch::srun);
  in.list([&] {
    sweep::ResultSource& source = command.sources.emplace_back();
    for (std::string* text : {&source.name, &source.file, &source.pattern, &source.column, &source.key, &source.unit})
      *text = in.text();
  });
  command.trial = in.hash();
  need(!command.argv.empty(), "a command has no program");
}

void take(ByteReader& in, sweep::Measure& measure) {
  measure.margin = take_real(in);
  measure.half_width = take_real(in);
  measure.relative_half_width = take_real(in);
  measure.per_contrast_seconds = take_optional<double>(in);
  measure.total_seconds = take_optional<double>(in);
  measure.metric = take_choice(in, sweep::metric_table.back().metric);
  std::string result = in.text();
  const sweep::Better better = take_flag(in) ? sweep::Better::higher : sweep::Better::lower;
  need(result.empty() == (measure.metric != sweep::Metric::result), "a result is compared that has no name");
  if (!result.empty()) measure.result = sweep::ComparedResult{std::move(result), better};
  measure.result_margin = take_optional<double>(in);
  need(std::isfinite(measure.result_margin.value_or(0)), "a number is not finite");
  measure.n = take_optional<std::int64_t>(in);
  measure.slices = take_optional<std::int64_t>(in);
  measure.steps = take_optional<std::int64_t>(in);
  measure.explain = take_flag(in);
  measure.again = take_flag(in);
  measure.same_work.gradient = take_optional<double>(in);
  measure.same_work.loss = take_optional<double>(in);
}

void take(ByteReader& in, sweep::Training& training) {
  training.epochs = take_optional<double>(in);
  training.steps = take_optional<std::int64_t>(in);
  training.evaluations = in.number<std::int64_t>();
  training.validation = take_real(in);
  training.seeds = in.number<std::int64_t>();
  const bool stops = take_flag(in);
  sweep::EarlyStop stop;
  stop.patience = in.number<std::int64_t>();
  stop.min_delta = take_real(in);
  if (stops) training.early_stop = stop;
  training.keep_weights = take_flag(in);
}

void take(ByteReader& in, sweep::Objective& objective) {
  objective.metric = in.text();
  objective.maximizes = take_flag(in);
  objective.margin = take_real(in);
}

void take(ByteReader& in, sweep::Leg& leg) {
  leg.purpose = take_choice(in, sweep::last_purpose);
  leg.seed = in.number<std::int64_t>();
  leg.rung = in.number<std::uint32_t>();
  leg.from = take_real(in);
  leg.to = take_real(in);
  need(leg.from >= 0 && leg.from <= leg.to && leg.to <= 1, "a leg ends before it begins, or behind its horizon");
}

void take(ByteReader& in, sweep::Limits& limits) {
  limits.trial_timeout_seconds = take_real(in);
  limits.attempts = in.number<std::int64_t>();
  limits.memory_bytes = take_optional<std::uint64_t>(in);
  limits.failures = take_optional<std::int64_t>(in);
  limits.retry_timeouts = take_flag(in);
}

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : in_(bytes) {}

  std::vector<sweep::BlockTask> operator()(std::uint32_t count) {
    std::vector<sweep::BlockTask> tasks(count);
    for (sweep::BlockTask& task : tasks) take_task(task);
    need(in_.is_at_end(), "more follows than the tasks");
    return tasks;
  }

 private:
  template <class T>
  using Seen = std::deque<T>;

  template <class T>
  void take_once(Seen<T>& seen, T& value) {
    const auto at = in_.number<std::uint16_t>();
    need(at <= seen.size(), "something is named before it is told");
    if (at == seen.size()) take(in_, seen.emplace_back());
    value = seen[at];
  }

  template <class T>
  void take_once(Seen<T>& seen, std::optional<T>& value) {
    if (take_flag(in_)) take_once(seen, value.emplace());
  }

  void take_arm(sweep::ArmTask& arm) {
    arm.parameters = take_changes(in_, last_);
    arm.intervention.kind = take_choice(in_, sweep::InterventionKind::batch);
    arm.intervention.batch = in_.number<std::int64_t>();
    take_once(models_, arm.model);
    take_once(commands_, arm.command);
    arm.launch = take_choice(in_, sweep::Launch::srun);
    take_once(datasets_, arm.dataset);
    arm.work_per_step = take_real(in_);
  }

  void take_task(sweep::BlockTask& task) {
    task.hash = in_.hash();
    const auto bits = in_.number<std::uint8_t>();
    need(bits < 2 * confirms_bit, "a block is of an unknown kind");
    task.has_baseline = (bits & baseline_bit) != 0;
    task.has_clone = (bits & clone_bit) != 0;
    task.explains = (bits & explains_bit) != 0;
    task.takes_one_pair = (bits & one_pair_bit) != 0;
    task.confirms = (bits & confirms_bit) != 0;
    take_once(measures_, task.measure);
    take_once(limits_, task.limits);
    if ((bits & trains_bit) != 0) {
      take_once(trainings_, task.training);
      take_once(objectives_, task.objective);
      take(in_, task.leg.emplace());
    }
    task.wanted_seconds = take_real(in_);
    task.planning_seconds = take_real(in_);
    task.wall_seconds = take_optional<double>(in_);
    need(std::isfinite(task.wall_seconds.value_or(0)), "a number is not finite");
    const auto spreads = in_.number<std::uint32_t>();
    need(spreads <= sweep::max_distinct_arms, "a block has more contrasts than arms");
    task.spreads.resize(spreads);
    for (stats::SpreadHistory& spread : task.spreads) {
      for (double& each : spread.log_likelihoods) each = take_real(in_);
      spread.degrees = take_real(in_);
    }
    task.exclusions = in_.number<std::uint32_t>();
    task.contrasts = in_.number<std::uint32_t>();
    const auto families = in_.number<std::uint32_t>();
    need(families < sweep::max_distinct_arms, "a block has more contrasts than arms");
    task.families.resize(families);
    for (sweep::Family& family : task.families) {
      family.number = in_.number<std::uint32_t>();
      family.contrasts = in_.number<std::uint32_t>();
    }
    const auto arms = in_.number<std::uint32_t>();
    need(arms >= 1 && arms <= sweep::max_distinct_arms, "a block has no arm, or more than fit into one");
    task.arms.resize(arms);
    for (sweep::ArmTask& arm : task.arms) take_arm(arm);
  }

  ByteReader in_;
  sweep::RowValues last_;
  Seen<model::Model> models_;
  Seen<sweep::Command> commands_;
  Seen<sweep::Dataset> datasets_;
  Seen<sweep::Measure> measures_;
  Seen<sweep::Limits> limits_;
  Seen<sweep::Training> trainings_;
  Seen<sweep::Objective> objectives_;
};

}  // namespace

std::string pack(const std::vector<sweep::BlockTask>& tasks) { return Packer()(tasks); }

std::vector<sweep::BlockTask> unpack_tasks(std::string_view bytes, std::uint32_t count) {
  if (count < 1 || count > largest_grant)
    throw PeerLost(fmt::format("{} blocks in a grant, expected 1 to {}", count, largest_grant));
  try {
    return Unpacker(bytes)(count);
  } catch (const InputError& error) {
    throw PeerLost(fmt::format("tasks of {} blocks: {}", count, error.what()));
  }
}

}  // namespace regatta::protocol
