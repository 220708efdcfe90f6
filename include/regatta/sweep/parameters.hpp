// The one table of parameters: name, type, unit, levels, default, who reads it, what it decides.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "regatta/sweep/engines.hpp"

namespace regatta::sweep {

/// A parameter's value; monostate is JSON null: "not read by this model or engine".
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

enum class ParamType : std::uint8_t { text, integer, real };

/// A parameter: a row of the table, or an axis that a sweep makes itself, such as `n`, which a program reads, or
/// `layers.0.dense`, a place in a model. Such a one carries its name; two of one name are the same.
class Param {
 public:
  /// The rows, in alphabetical order (the order of the canonical form); the table says what each is.
  enum Known : std::uint8_t {
    accumulate,
    algorithm,
    api,
    batch,
    batch_statistics,
    bucket_bytes,
    clip_norm,
    command,
    dataset,
    deterministic,
    device,
    engine,
    host_dtype,
    input,
    learning_rate,
    length,
    loader_depth,
    loader_workers,
    loop,
    map_threads,
    memory,
    mode,
    model,
    operands,
    optimizer_state,
    precision,
    prefetch,
    ranks,
    repeat,
    rewrite,
    schedule,
    seed,
    shards,
    steps_per_call,
    tail,
    threads,
    timing,
    transfers,
    transform,
    warmup,
    weight_decay,
    work,
    count_  ///< how many there are; no row
  };
  /// The type of the levels of a sweep's own axis. A flag's levels are the texts "true" and "false", which are written
  /// as JSON's. Levels of the kind json are lists, objects, null or a mixture: each is the text that a program gets,
  /// which is JSON unless the level is a text.
  enum class OwnKind : std::uint8_t { integer, real, text, flag, json };

  static constexpr std::size_t max_own_name = 44;  ///< bytes

  constexpr Param(Known known) : known_(known) {}  // NOLINT(google-explicit-constructor): a row is a parameter

  /// A sweep's own axis. Throws InputError if the name is empty or too long.
  static Param own(std::string_view name, OwnKind kind);

  [[nodiscard]] constexpr bool is_own() const { return known_ == Known::count_; }
  [[nodiscard]] constexpr Known known() const { return known_; }  ///< count_ for a sweep's own
  [[nodiscard]] constexpr OwnKind kind() const { return kind_; }  ///< a sweep's own
  /// A sweep's own, as long as this object; empty for a row.
  [[nodiscard]] constexpr std::string_view own_name() const { return {name_.data(), size_}; }

  friend constexpr bool operator==(const Param& a, const Param& b) {
    return a.known_ == b.known_ && a.own_name() == b.own_name();
  }
  /// Rows first, in their order, then a sweep's own by name.
  friend constexpr std::strong_ordering operator<=>(const Param& a, const Param& b) {
    if (a.known_ != b.known_) return a.known_ <=> b.known_;
    return a.own_name() <=> b.own_name();
  }

 private:
  Known known_;
  OwnKind kind_ = OwnKind::text;
  std::uint8_t size_ = 0;
  std::array<char, max_own_name> name_{};
};
inline constexpr std::size_t param_count = static_cast<std::size_t>(Param::count_);

/// The name of a parameter, as long as `param`.
std::string_view name_of(const Param& param);
std::string_view name_of(Param&&) = delete;
std::string_view name_of(Param::Known known);

/// Parameters, each once, in order.
class ParamSet {
 public:
  void set(const Param& param, bool is_in = true);
  [[nodiscard]] bool operator[](const Param& param) const;
  [[nodiscard]] bool any() const { return known_.any() || !own_.empty(); }
  [[nodiscard]] bool intersects(const ParamSet& other) const;
  [[nodiscard]] std::vector<Param> members() const;
  ParamSet& operator|=(const ParamSet& other);
  ParamSet& operator-=(const ParamSet& other);
  bool operator==(const ParamSet&) const = default;

 private:
  std::bitset<param_count> known_;
  std::vector<Param> own_;  ///< by name
};

/// A value for every row of the table. Copies share their values, some at a time, until one of them gets another: a
/// million trials differ in few.
class RowValues {
 public:
  const Value& operator[](std::size_t row) const {
    const Part* const part = parts_[row / part_size].get();
    return part == nullptr ? null : part->values[row % part_size];
  }
  /// To write to: what was shared with copies is then this object's own.
  Value& operator[](std::size_t row);
  bool operator==(const RowValues& other) const;

 private:
  static constexpr std::size_t part_size = 4;
  static inline const Value null;

  struct Part {
    std::array<Value, part_size> values;
    std::atomic<std::uint32_t> owners = 1;
  };

  /// Half the size of a std::shared_ptr: a trial has ten.
  class PartPointer {
   public:
    PartPointer() = default;
    explicit PartPointer(Part* part) : part_(part) {}
    PartPointer(const PartPointer& other) : part_(other.part_) {
      if (part_ != nullptr) part_->owners.fetch_add(1, std::memory_order_relaxed);
    }
    PartPointer(PartPointer&& other) noexcept : part_(std::exchange(other.part_, nullptr)) {}
    PartPointer& operator=(PartPointer other) noexcept {
      std::swap(part_, other.part_);
      return *this;
    }
    ~PartPointer() {
      if (part_ != nullptr && part_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete part_;
    }
    [[nodiscard]] Part* get() const { return part_; }
    [[nodiscard]] bool is_shared() const { return part_->owners.load(std::memory_order_acquire) > 1; }

   private:
    Part* part_ = nullptr;
  };

  std::array<PartPointer, (param_count + part_size - 1) / part_size> parts_;  ///< a null one holds nulls
};

/// A value for every row of the table, and those of a sweep's own axes that are read.
class Parameters {
 public:
  struct Own {
    Param param;
    Value value;
    bool operator==(const Own&) const = default;
  };

  RowValues values;
  [[nodiscard]] const std::vector<Own>& own() const { return own_; }  ///< by name; none is null

  [[nodiscard]] const Value& operator[](const Param& param) const;
  Value& operator[](Param::Known known) { return values[static_cast<std::size_t>(known)]; }
  const Value& operator[](Param::Known known) const { return values[static_cast<std::size_t>(known)]; }
  /// Null takes a sweep's own axis away. A parameter that has the value already stays shared with copies.
  void set(const Param& param, Value value);
  bool operator==(const Parameters&) const = default;

 private:
  std::vector<Own> own_;
};

/// Parameters in which the two have different values.
ParamSet differing(const Parameters& a, const Parameters& b);

/// Sweeps in which the parameter means something.
enum class InTask : std::uint8_t { any, benchmark, train };

/// Trials that can have a use for a parameter.
enum class Readers : std::uint8_t {
  all,
  programs,          ///< trials of the engine `command`
  workers,           ///< trials of all other engines
  computing_models,  ///< all models but noop
  models_with_data,  ///< networks, products and users' own models
  products,
  networks,  ///< and users' own models
  networks_of_layers,
  networks_with_length,  ///< networks whose catalogue entry has a length
  networks_with_conv1d,
  networks_with_batch_norm,
  networks_with_pooled_convolutions  ///< linear ones in front of global average pooling
};

/// The trials that read a parameter: all conditions must hold.
struct ReadBy {
  Readers readers;
  bool own = false;       ///< the engine lists it in EngineInfo::own_params
  bool choice = false;    ///< the engine has several of its levels
  bool in_ranks = false;  ///< by trials of several ranks
  bool in_parts = false;  ///< by trials of several ranks or shards
  /// Another parameter has one of these levels, or none of them.
  struct Condition {
    Param param;
    std::vector<std::string_view> levels;
    bool has = true;
  };
  std::vector<Condition> where = {};
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
  ReadBy read_by = {Readers::all};
  EngineInfo::Names EngineInfo::*engine_levels = nullptr;  ///< the levels that each engine has, if its row lists them
  bool may_skip = false;  ///< whether an engine can run a trial may depend on its level
  InTask in_task = InTask::any;
};

inline bool is_number(const ParamInfo& row) { return row.type != ParamType::text; }
/// Its levels may be written as sizes, too: "25MiB".
inline bool counts_bytes(const ParamInfo& row) { return row.type == ParamType::integer && row.unit == "bytes"; }

/// All rows, ordered as Param::Known.
const std::vector<ParamInfo>& parameter_table();

/// Its row; what is true of all axes of a sweep's own whose levels are of its kind, and no name.
const ParamInfo& info(const Param& param);

/// The row of this name.
std::optional<Param> find_param(std::string_view name);

/// Whether a sweep's own axis may be called so: letters, digits, `_`, `.` and `-`, a letter first.
bool is_own_name(std::string_view name);

/// "native@tf-2.15" -> {"native", "tf-2.15"}; environment empty if none is named.
struct EngineName {
  std::string_view engine;
  std::string_view environment;
};
EngineName split_engine(std::string_view text);

/// The engine that executes the trial, whatever its environment. Errors: InternalError if the engine is no text.
std::string_view engine_of(const Parameters& parameters);

/// A value as it stands in JSON: null, 32, 0.5, "eager".
std::string to_json(const Value& value);

/// A value as people read it; a dash for null.
std::string to_text(const Value& value);

/// The text inside; throws InternalError if the parameter holds something else.
const std::string& text_of(const Parameters& parameters, const Param& param);

/// Whether the parameter is a text, and this one. A parameter that is not read is null.
bool is_level(const Parameters& parameters, const Param& param, std::string_view level);
/// `fallback` for what is not read.
std::int64_t integer_or(const Parameters& parameters, const Param& param, std::int64_t fallback);
double real_or(const Parameters& parameters, const Param& param, double fallback);

/// A sweep's own axes as one JSON object: {"alg":"a","n":64}.
std::string own_json(const Parameters& parameters);

/// Whether a step does less arithmetic than the model as it is written has: by Fourier transforms, or rewritten.
bool saves_work(const Parameters& parameters);

/// {"api":null,"batch":32,...}: keys in alphabetical order, no spaces, null where it is not read; a sweep's
/// own axes behind them, "own":{...}, if it has some.
std::string to_json(const Parameters& parameters);

/// Reads to_json(Parameters) back. Throws InputError.
Parameters parse_parameters(std::string_view json);

/// Samples of one step; nothing if the trial reads no batch.
std::optional<std::int64_t> batch_of(const Parameters& parameters);

}  // namespace regatta::sweep
