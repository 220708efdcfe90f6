// The one table of parameters: name, type, unit, levels, default, who reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace regatta::sweep {

/// A parameter's value; monostate is JSON null: "not read by this model or engine".
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// Every parameter, in alphabetical order (the order of the canonical form).
enum class Param : std::uint8_t {
  algorithm,       ///< direct | fft: of 1-D convolutions, exact but for rounding
  api,             ///< keras | tf_keras | raw (TensorFlow only)
  batch,           ///< samples of one step over all ranks
  command,         ///< name in the sweep's "commands" (engine `command` only)
  dataset,         ///< synthetic | digits
  device,          ///< cpu | cuda
  engine,          ///< native | torch | tensorflow | jax | numpy | command, or name@environment
  host_dtype,      ///< float32 | float64
  input,           ///< array | pipeline | resident
  length,          ///< positions of a sequence model's input
  loader_workers,  ///< processes of torch's pipeline
  loop,            ///< custom | train_on_batch | fit
  map_threads,     ///< 1 | 2 | auto: of TensorFlow's pipeline
  mode,            ///< eager | graph | xla | v1-session
  model,           ///< a named model, or the name of one written out
  precision,       ///< fp32 | tf32 | bf16
  prefetch,        ///< 0 | 1 | auto: batches that TensorFlow's pipeline makes ahead
  ranks,           ///< processes of a data-parallel trial
  repeat,          ///< 0 .. repeats - 1
  rewrite,         ///< none | algebraic: of the mathematics, exact but for rounding
  seed,            ///< of weights, data and order
  steps_per_call,  ///< of a loop that takes several
  tail,            ///< drop | keep: the last, smaller batch of an epoch
  threads,         ///< compute threads of the engine
  timing,          ///< steady | cold
  work,            ///< train | infer
};
inline constexpr std::size_t param_count = 26;

/// A value for every parameter.
struct Parameters {
  std::array<Value, param_count> values;
  Value& operator[](Param p) { return values[static_cast<std::size_t>(p)]; }
  const Value& operator[](Param p) const { return values[static_cast<std::size_t>(p)]; }
  bool operator==(const Parameters&) const = default;
};

enum class ParamType : std::uint8_t { text, integer };

/// Whether the parameter came after identities were fixed. Then it is left out of the canonical form where it is not
/// read; one that models of earlier versions read also where it has its default.
enum class Late : std::uint8_t { no, where_not_read, where_not_set };

/// One row of the table.
struct ParamInfo {
  Param param;
  std::string_view name;
  ParamType type;
  std::string_view unit;                 ///< empty if it has none
  std::vector<std::string_view> levels;  ///< empty: any text, or any integer >= minimum
  std::int64_t minimum;                  ///< smallest integer allowed
  std::int64_t maximum;                  ///< largest integer allowed
  Value fallback;                        ///< the default; monostate if it must be named when read
  std::string_view description;
  Late late = Late::no;
};

/// All rows, ordered as Param.
const std::vector<ParamInfo>& parameter_table();
const ParamInfo& info(Param param);
std::optional<Param> find_param(std::string_view name);

/// "native@tf-2.15" -> {"native", "tf-2.15"}; environment empty if none is named.
struct EngineName {
  std::string_view engine;
  std::string_view environment;
};
EngineName split_engine(std::string_view text);

/// A value as it stands in JSON: null, 32, 0.5, "eager".
std::string to_json(const Value& value);

/// A value as people read it; a dash for null.
std::string to_text(const Value& value);

/// The text inside; throws InternalError if the parameter holds something else.
const std::string& text_of(const Parameters& parameters, Param param);

/// Whether a step does less arithmetic than the model as it is written has: by Fourier transforms, or rewritten.
bool saves_work(const Parameters& parameters);

/// {"api":null,"batch":32,...}: keys in alphabetical order, no spaces; late ones only where they are read, or set.
std::string to_json(const Parameters& parameters);

/// Reads to_json(Parameters) back. Throws InputError.
Parameters parse_parameters(std::string_view json);

/// Samples of one step; nothing if the trial reads no batch.
std::optional<std::int64_t> batch_of(const Parameters& parameters);

}  // namespace regatta::sweep
