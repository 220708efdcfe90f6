// The table of engines: what each is and can do, known before anything runs. Workers' `ready` and their own tables are
// tested against it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace regatta::sweep {

/// The program that runs an engine's trials.
enum class WorkerKind : std::uint8_t {
  native,  ///< regatta-worker
  python,  ///< a module of a Python installation
  program  ///< the sweep's own program, once for each step
};

/// One row.
struct EngineInfo {
  using Names = std::vector<std::string_view>;

  /// A parameter that engines read only if they list it.
  struct Own {
    std::string_view name;
    Names inputs = {};  ///< it is read with these levels of `input`; empty: with all
  };

  std::string_view name;
  WorkerKind worker;
  Names modes = {};
  Names devices = {};
  Names loops = {};
  Names apis = {};  ///< empty: the engine does not read `api`
  Names inputs = {};
  Names train_inputs = {};  ///< levels that it has in the task `train`
  Names precisions = {};
  Names batch_statistics = {};
  std::vector<Own> own_params = {};
  Names layers = {};                 ///< layers that it has; empty: all
  bool has_python_models = false;    ///< calls the functions of a user's file
  bool has_kernels_of_ours = false;  ///< the facts of model/layers.hpp on products hold for it
  bool hands_over_steps = false;     ///< a step may return before it is done
  bool has_ranks = false;            ///< several processes share training steps, on cores
  bool trains_in_ranks = false;      ///< and whole trainings
  std::string_view install = {};     ///< how people come by it, where it may be missing
  Names libraries = {};              ///< Python packages whose versions decide its times
};

/// All rows, in the order in which people read them.
const std::vector<EngineInfo>& engine_table();

/// The row of this engine, or null.
const EngineInfo* find_engine(std::string_view name);

/// Whether a list of a row holds this name.
bool contains(const EngineInfo::Names& names, std::string_view name);

/// The engine's own parameter of this name, or null.
const EngineInfo::Own* find_own(const EngineInfo& engine, std::string_view name);

/// Whether there is such an engine, and this is what runs it.
bool has_worker(std::string_view engine, WorkerKind kind);

}  // namespace regatta::sweep
