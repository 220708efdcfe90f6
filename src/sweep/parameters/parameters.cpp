#include "regatta/sweep/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "regatta/base/error.hpp"

namespace regatta::sweep {
namespace {

using Levels = std::vector<std::string_view>;

constexpr std::int64_t exact_in_float = std::int64_t{1} << 24;
constexpr std::int64_t exact_in_json = (std::int64_t{1} << 53) - 1;  ///< what every JSON reader keeps
constexpr std::int64_t most_loader_workers = 256;
constexpr std::int64_t most_steps_per_call = 1'000'000;

ParamInfo text_row(Param param, std::string_view name, Levels levels, Value fallback, std::string_view description) {
  return {param, name, ParamType::text, "", std::move(levels), 0, 0, std::move(fallback), description};
}

/// A parameter that trials of earlier versions do not name: their identities stay.
ParamInfo late(ParamInfo row, Late left_out = Late::where_not_read) {
  row.late = left_out;
  return row;
}

struct Range {
  std::int64_t minimum;
  std::int64_t maximum;
};

ParamInfo integer_row(Param param, std::string_view name, std::string_view unit, Range range, std::int64_t fallback,
                      std::string_view description) {
  return {param, name, ParamType::integer, unit, {}, range.minimum, range.maximum, fallback, description};
}

std::vector<ParamInfo> make_table() {
  const auto word = [](const char* text) { return Value(std::string(text)); };
  const Value none;
  return {
      late(text_row(Param::algorithm, "algorithm", {"direct", "fft"}, word("direct"),
                    "of 1-D convolutions of many taps: sums as they stand, or products of Fourier transforms"),
           Late::where_not_set),
      text_row(Param::api, "api", {"keras", "tf_keras", "raw"}, word("keras"), "interface of TensorFlow"),
      integer_row(Param::batch, "batch", "samples", {1, exact_in_float}, 32,
                  "samples of one step, over all ranks together"),
      text_row(Param::command, "command", {}, none, "name of an entry of `commands`"),
      text_row(Param::dataset, "dataset", {"synthetic", "digits"}, word("synthetic"), "where the samples come from"),
      text_row(Param::device, "device", {"cpu", "cuda"}, word("cpu"), "what computes"),
      text_row(Param::engine, "engine", {"native", "torch", "tensorflow", "jax", "numpy", "command"}, word("native"),
               "what executes the model; `engine@environment` picks an installation"),
      text_row(Param::host_dtype, "host_dtype", {"float32", "float64"}, word("float32"),
               "type of the samples in host memory"),
      text_row(Param::input, "input", {"array", "pipeline", "resident"}, word("array"), "how samples reach the engine"),
      integer_row(Param::length, "length", "positions", {1, exact_in_float}, 140, "length of a sequence model's input"),
      late(integer_row(Param::loader_workers, "loader_workers", "processes", {0, most_loader_workers}, 0,
                       "of torch's DataLoader; 0: the step makes its batch itself")),
      text_row(Param::loop, "loop", {"custom", "train_on_batch", "fit", "predict_on_batch", "predict"}, word("custom"),
               "which loop drives the steps"),
      late(text_row(Param::map_threads, "map_threads", {"1", "2", "auto"}, word("1"),
                    "threads of tf.data's map, which casts the samples")),
      text_row(Param::mode, "mode", {"eager", "graph", "xla", "v1-session"}, word("graph"),
               "operation by operation, or planned ahead"),
      text_row(Param::model, "model", {}, none, "a named model, or one written out"),
      text_row(Param::precision, "precision", {"fp32", "tf32", "bf16"}, word("fp32"), "arithmetic of the products"),
      late(text_row(Param::prefetch, "prefetch", {"0", "1", "auto"}, word("auto"),
                    "batches that tf.data makes ahead of the step")),
      integer_row(Param::ranks, "ranks", "processes", {1, 65536}, 1, "processes of a data-parallel trial"),
      integer_row(Param::repeat, "repeat", "", {0, 9'999'999}, 0, "number of the repetition, from `repeats`"),
      late(text_row(Param::rewrite, "rewrite", {"none", "algebraic"}, word("none"),
                    "of the mathematics: pooling goes in front of the convolutions that it commutes with"),
           Late::where_not_set),
      integer_row(Param::seed, "seed", "", {0, exact_in_json}, 0, "of weights, data and order"),
      late(integer_row(Param::steps_per_call, "steps_per_call", "steps", {1, most_steps_per_call}, 1,
                       "of one call of `fit`")),
      text_row(Param::tail, "tail", {"drop", "keep"}, word("drop"), "the last, smaller batch of an epoch"),
      integer_row(Param::threads, "threads", "threads", {1, 4096}, 1, "compute threads of the engine"),
      text_row(Param::timing, "timing", {"steady", "cold"}, word("steady"), "steps in steady state, or the first one"),
      text_row(Param::work, "work", {"train", "infer"}, word("train"), "training steps or inference steps"),
  };
}

}  // namespace

const std::vector<ParamInfo>& parameter_table() {
  static const std::vector<ParamInfo> table = make_table();
  return table;
}

const ParamInfo& info(Param param) { return parameter_table()[static_cast<std::size_t>(param)]; }

std::optional<Param> find_param(std::string_view name) {
  const auto& table = parameter_table();
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const ParamInfo& candidate) { return candidate.name == name; });
  if (row == table.end()) return std::nullopt;
  return row->param;
}

EngineName split_engine(std::string_view text) {
  const auto at = text.find('@');
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

const std::string& text_of(const Parameters& parameters, Param param) {
  const auto* text = std::get_if<std::string>(&parameters[param]);
  if (text == nullptr) throw InternalError(fmt::format("the parameter {} holds no text here", info(param).name));
  return *text;
}

bool saves_work(const Parameters& parameters) {
  return parameters[Param::algorithm] == Value(std::string("fft")) ||
         parameters[Param::rewrite] == Value(std::string("algebraic"));
}

std::optional<std::int64_t> batch_of(const Parameters& parameters) {
  const auto* batch = std::get_if<std::int64_t>(&parameters[Param::batch]);
  return batch == nullptr ? std::nullopt : std::optional(*batch);
}

}  // namespace regatta::sweep
