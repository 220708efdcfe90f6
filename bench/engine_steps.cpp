// Step times of the native engine: graph, graph without fusion and eager, interleaved on one core.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"
#include "regatta/engine/cpu_backend.hpp"
#include "regatta/engine/session.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/shapes.hpp"

namespace {

using namespace regatta;

constexpr const char* kUsage =
    "usage: bench_engine_steps [--json] [--rounds N] [--choosing SECONDS] [--precision fp32|bf16]\n"
    "                          [--algorithm direct|fft] [--threads N] [--shards N]\n"
    "       [--case MODEL[:BATCH[:LENGTH[:infer]]]]...\n";
constexpr double kSliceSeconds = 0.002;  // one variant in one round, at least a step
constexpr std::int64_t kLength = 140;

struct Case {
  std::string model;
  std::int64_t batch = 32;
  std::int64_t length = kLength;
  bool infers = false;
};

std::vector<Case> usual_cases() {
  return {{"mlp-10", 32},       {"mlp-10", 1000},   {"mlp-784", 32},        {"digits-mlp", 1},
          {"digits-mlp", 8},    {"digits-mlp", 32}, {"digits-mlp", 128},    {"digits-mlp", 512},
          {"digits-mlp", 2048}, {"matmul-1000", 1}, {"scalar-gradient", 1}, {"conv1d-small", 32}};
}

struct Options {
  bool json = false;
  int rounds = 41;
  double choosing_seconds = 0.2;
  engine::Precision precision = engine::Precision::fp32;
  engine::Algorithm algorithm = engine::Algorithm::direct;
  int threads = 1;
  int shards = 1;
  std::vector<Case> cases;
};

struct Data {
  std::vector<float> x, y_float;
  std::vector<std::int32_t> y_int;
};

std::vector<float> floats(std::int64_t count, std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 2 * random_unit(seed, i) - 1;
  return values;
}

Data batch_for(const model::Model& model, std::int64_t batch) {
  if (const auto* matmul = std::get_if<model::Matmul>(&model)) {
    return {floats(matmul->size * matmul->size, 1), floats(matmul->size * matmul->size, 2), {}};
  }
  const auto* network = std::get_if<model::Network>(&model);
  if (network == nullptr) return {{2.0F}, {}, {}};
  const std::int64_t outputs = model::element_count(model::infer_shapes(*network).back());
  Data data{floats(batch * model::element_count(network->input), 1), {}, {}};
  if (network->loss == model::Loss::sparse_categorical_crossentropy) {
    for (std::int64_t i = 0; i < batch; ++i) data.y_int.push_back(static_cast<std::int32_t>(i % outputs));
  } else {
    data.y_float = floats(batch * outputs, 2);
    for (float& y : data.y_float) y = y > 0 ? 1.0F : 0.0F;
  }
  return data;
}

/// Seconds of one step, in each round.
struct Timed {
  std::unique_ptr<engine::Backend> backend;
  std::unique_ptr<engine::Session> session;
  std::int64_t steps = 1;  ///< steps of one slice
  std::vector<double> seconds;
};

double slice_seconds(const Timed& timed, const engine::Batch& batch) {
  const double begin = steady_seconds();
  for (std::int64_t i = 0; i < timed.steps; ++i) timed.session->step(batch);
  timed.session->wait();
  return (steady_seconds() - begin) / static_cast<double>(timed.steps);
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)))];
}

struct Row {
  Case of;
  double graph, graph_best, graph_spread, unfused, eager;  ///< seconds; spread: quartile distance over median
  std::vector<double> eager_overheads;                     ///< seconds per operation, of each round
  double flop;                                             ///< operations in the products of one step
  engine::PlanInfo plan;
};

double flop_of(const model::Model& model, const Case& which) {
  const model::Work work = model::training_work(model, which.batch);
  return which.infers ? work.forward_flop : work.forward_flop + work.input_gradient_flop + work.weight_gradient_flop;
}

/// Graph, graph without fusion, eager.
std::vector<Timed> variants_of(const model::Model& model, const Case& which, const Options& options,
                               const engine::Batch& batch) {
  const auto* network = std::get_if<model::Network>(&model);
  const auto weights = network != nullptr ? model::initial_weights(*network, 0) : std::vector<model::Tensor>{};
  std::vector<Timed> variants(3);
  for (std::size_t i = 0; i < variants.size(); ++i) {
    engine::Settings settings;
    settings.mode = i == 2 ? engine::Mode::eager : engine::Mode::graph;
    settings.work = which.infers ? engine::Work::infer : engine::Work::train;
    settings.fusion = i == 0;
    settings.batch = which.batch;
    settings.shards = options.shards;
    settings.precision = options.precision;
    settings.algorithm = options.algorithm;
    variants[i].backend = engine::cpu::make_backend(
        {.threads = options.threads, .choosing_seconds = options.choosing_seconds}, options.precision);
    variants[i].session = engine::make_session(model, weights, settings, *variants[i].backend);
    slice_seconds(variants[i], batch);
    variants[i].steps = std::max<std::int64_t>(1, std::lround(kSliceSeconds / slice_seconds(variants[i], batch)));
  }
  return variants;
}

Row measure(const Case& which, const Options& options) {
  const auto model = model::find_model(which.model, which.length);
  if (!model) throw InputError(fmt::format("no model named {}", which.model));
  const Data data = batch_for(*model, which.batch);
  const engine::Batch batch{data.x, data.y_float, data.y_int};
  std::vector<Timed> variants = variants_of(*model, which, options, batch);
  const engine::PlanInfo plan = variants[0].session->plan();
  const auto operations = static_cast<double>(std::max<std::int64_t>(1, plan.eager_ops));
  std::vector<double> overheads;
  for (int round = 0; round < options.rounds; ++round) {
    for (Timed& variant : variants) variant.seconds.push_back(slice_seconds(variant, batch));
    overheads.push_back((variants[2].seconds.back() - variants[1].seconds.back()) / operations);
  }
  const double graph = quantile(variants[0].seconds, 0.5);
  return {which,
          graph,
          quantile(variants[0].seconds, 0),
          (quantile(variants[0].seconds, 0.75) - quantile(variants[0].seconds, 0.25)) / graph,
          quantile(variants[1].seconds, 0.5),
          quantile(variants[2].seconds, 0.5),
          std::move(overheads),
          flop_of(*model, which),
          plan};
}

void print_heading() {
  fmt::print("{:16}{:>6}{:>12}{:>10}{:>8}{:>12}{:>12}{:>10}{:>10}{:>7}{:>7}{:>9}\n", "model", "batch", "graph us",
             "best", "+-%", "unfused us", "eager us", "ns/op", "GFLOP/s", "calls", "ops", "plan ms");
}

void print(const Row& row) {
  fmt::print("{:16}{:6}{:12.3f}{:10.3f}{:8.1f}{:12.3f}{:12.3f}{:10.1f}{:10.1f}{:7}{:7}{:9.1f}\n", row.of.model,
             row.of.batch, row.graph * 1e6, row.graph_best * 1e6, row.graph_spread * 100, row.unfused * 1e6,
             row.eager * 1e6, quantile(row.eager_overheads, 0.5) * 1e9, row.flop / row.graph * 1e-9,
             row.plan.graph_calls, row.plan.eager_ops, row.plan.plan_seconds * 1e3);
  for (const std::string& choice : row.plan.choices) fmt::print("    {}\n", choice);
}

void print_json(const std::vector<Row>& rows, const Options& options) {
  fmt::print("{{\"isa\": \"{}\", \"rounds\": {}, \"steps\": [", rows.front().plan.isa, options.rounds);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    fmt::print(
        "{}\n  {{\"model\": \"{}\", \"batch\": {}, \"length\": {}, \"graph_seconds\": {:.4g}, "
        "\"graph_best_seconds\": {:.4g}, \"graph_spread\": {:.4g}, \"unfused_seconds\": {:.4g}, "
        "\"eager_seconds\": {:.4g}, \"eager_overheads_per_op_seconds\": [{:.4g}], \"flop\": {:.6g}, "
        "\"gflop_per_second\": {:.4g}, \"graph_calls\": {}, \"eager_ops\": {}, \"arena_bytes\": {}, "
        "\"plan_seconds\": {:.4g}, \"choosing_seconds\": {:.4g}, \"choices\": {}}}",
        i == 0 ? "" : ",", row.of.model, row.of.batch, row.of.length, row.graph, row.graph_best, row.graph_spread,
        row.unfused, row.eager, fmt::join(row.eager_overheads, ", "), row.flop, row.flop / row.graph * 1e-9,
        row.plan.graph_calls, row.plan.eager_ops, row.plan.arena_bytes, row.plan.plan_seconds,
        row.plan.choosing_seconds, row.plan.choices.size());
  }
  fmt::print("\n]}}\n");
}

template <class Number>
Number number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0)) {
    throw InputError(fmt::format("'{}' is no positive number\n{}", text, kUsage));
  }
  return value;
}

Case parse_case(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':')) {
    parts.push_back(text.substr(0, colon));
    text.remove_prefix(colon + 1);
  }
  parts.push_back(text);
  Case which{std::string(parts[0])};
  if (parts.size() > 1) which.batch = number<std::int64_t>(parts[1]);
  if (parts.size() > 2) which.length = number<std::int64_t>(parts[2]);
  which.infers = parts.size() > 3 && parts[3] == "infer";
  return which;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--json") {
      options.json = true;
      continue;
    }
    if (i + 1 == argc) throw InputError(kUsage);
    const std::string_view value = argv[++i];
    if (word == "--rounds") {
      options.rounds = number<int>(value);
    } else if (word == "--choosing") {
      options.choosing_seconds = number<double>(value);
    } else if (word == "--algorithm" && (value == "direct" || value == "fft")) {
      options.algorithm = value == "fft" ? engine::Algorithm::fft : engine::Algorithm::direct;
    } else if (word == "--precision" && (value == "fp32" || value == "bf16")) {
      options.precision = value == "bf16" ? engine::Precision::bf16 : engine::Precision::fp32;
    } else if (word == "--threads") {
      options.threads = number<int>(value);
    } else if (word == "--shards") {
      options.shards = number<int>(value);
    } else if (word == "--case") {
      options.cases.push_back(parse_case(value));
    } else {
      throw InputError(kUsage);
    }
  }
  if (options.cases.empty()) options.cases = usual_cases();
  return options;
}

void pin_to_this_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof one, &one);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse(argc, argv);
    if (options.threads == 1) pin_to_this_core();
    std::vector<Row> rows;
    if (!options.json) print_heading();
    for (const Case& which : options.cases) {
      rows.push_back(measure(which, options));
      if (!options.json) print(rows.back());
    }
    if (options.json) print_json(rows, options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
