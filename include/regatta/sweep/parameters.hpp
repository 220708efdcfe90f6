// The one table of parameters: name, type, unit, levels, default, who reads it, what it decides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "regatta/sweep/engines.hpp"

namespace regatta::sweep {

/// A parameter's value; monostate is JSON null: "not read by this model or engine".
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// Every parameter, in alphabetical order (the order of the canonical form); the table says what each is.
enum class Param : std::uint8_t {
  algorithm,
  api,
  batch,
  clip_norm,
  command,
  dataset,
  device,
  engine,
  host_dtype,
  input,
  learning_rate,
  length,
  loader_workers,
  loop,
  map_threads,
  mode,
  model,
  operands,
  precision,
  prefetch,
  ranks,
  repeat,
  rewrite,
  schedule,
  seed,
  steps_per_call,
  tail,
  threads,
  timing,
  warmup,
  weight_decay,
  work,
  count_  ///< how many there are; no parameter
};
inline constexpr std::size_t param_count = static_cast<std::size_t>(Param::count_);

/// A value for every parameter.
struct Parameters {
  std::array<Value, param_count> values;
  Value& operator[](Param p) { return values[static_cast<std::size_t>(p)]; }
  const Value& operator[](Param p) const { return values[static_cast<std::size_t>(p)]; }
  bool operator==(const Parameters&) const = default;
};

enum class ParamType : std::uint8_t { text, integer, real };

/// Sweeps in which the parameter means something.
enum class InTask : std::uint8_t { any, benchmark, train };

/// Whether the parameter came after identities were fixed. Then it is left out of the canonical form where it is not
/// read; one that models of earlier versions read also where it has its default.
enum class Late : std::uint8_t { no, where_not_read, where_not_set };

/// Trials that can have a use for a parameter.
enum class Readers : std::uint8_t {
  all,
  programs,          ///< of the engine `command`
  workers,           ///< of all other engines
  computing_models,  ///< all models but noop
  models_with_data,  ///< networks, products and users' own models
  products,
  networks,  ///< and users' own models
  networks_of_layers,
  networks_with_length,  ///< whose catalogue entry has a length
  networks_with_conv1d,
  networks_with_pooled_convolutions  ///< linear ones in front of global average pooling
};

/// Who reads a parameter: all conditions must hold.
struct ReadBy {
  Readers readers;
  bool own = false;     ///< the engine lists it in EngineInfo::own_params
  bool choice = false;  ///< the engine has several of its levels
  /// Another parameter has, or has not, this level.
  struct Condition {
    Param param = Param::count_;  ///< count_: there is no condition
    std::string_view level = {};
    bool has = true;
  } where = {};
};

/// One row of the table.
struct ParamInfo {
  Param param;
  std::string_view name;
  std::string_view description;
  ParamType type = ParamType::text;
  std::string_view unit = {};                 ///< empty if it has none
  std::vector<std::string_view> levels = {};  ///< empty: any text, or any integer >= minimum
  std::int64_t minimum = 0;                   ///< smallest integer allowed
  std::int64_t maximum = 0;                   ///< largest integer allowed
  double least = 0;                           ///< smallest real number allowed
  double most = 0;                            ///< largest real number allowed
  Value fallback = {};                        ///< the default; monostate if it must be named when read
  Late late = Late::no;
  ReadBy read_by = {Readers::all};
  EngineInfo::Names EngineInfo::*engine_levels = nullptr;  ///< the levels that each engine has, if its row lists them
  bool may_skip = false;  ///< whether an engine can run a trial may depend on its level
  InTask in_task = InTask::any;
};

inline bool is_number(const ParamInfo& row) { return row.type != ParamType::text; }

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

/// What executes the trial, whatever its environment. Errors: InternalError if the engine is no text.
std::string_view engine_of(const Parameters& parameters);

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
