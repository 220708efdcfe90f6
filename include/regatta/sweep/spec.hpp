// A sweep file as plain structs (docs/reference/sweep-file.md). Reading and checking live in reader.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/model/model.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/sweep/metrics.hpp"
#include "regatta/sweep/parameters.hpp"
#include "regatta/sweep/training.hpp"

namespace regatta::sweep {

enum class Task { benchmark, train };

struct Axis {
  Param param = Param::count_;
  std::vector<Value> levels;  ///< not empty; each once, but in a zip and where they are drawn
  bool is_drawn = false;      ///< its level i belongs to draw i, as that of every other drawn axis
  std::vector<Value> choice =
      {};  ///< levels that a drawn axis chooses from, whether a draw has it or not; empty: numbers
};

/// Parameter = value pairs that must all match.
using Match = std::vector<std::pair<Param, Value>>;

/// Parameters, each with the levels of which one must stand there; all must.
using Condition = std::vector<std::pair<Param, std::vector<Value>>>;

/// Axes that only the points have at which the condition holds; elsewhere their parameters have their defaults.
struct When {
  Condition condition;
  std::vector<Axis> axes;
};

/// An optional level ("torch?") that was not found.
struct LeftOut {
  Param param;
  Value level;
  std::string reason;  ///< empty if another reading found it out
};

enum class Pairs { baseline, all, one_factor };

struct Compare {
  std::vector<Param> over;
  Match baseline;
  Pairs pairs = Pairs::baseline;
  /// Axes whose levels repeat a comparison, such as seeds: it is told over all of them (measuring.md R4).
  std::vector<Param> replicates = {};
};

/// A number that programs or loops tell, by which arms are compared.
struct ComparedResult {
  std::string name;
  Better better = Better::lower;
  bool operator==(const ComparedResult&) const = default;
};

/// How far results of two arms may lie apart that are still compared, as fractions; they widen what counts as close.
struct SameWork {
  std::optional<double> gradient;  ///< distance of a tensor of gradients or updates, to its norm
  std::optional<double> loss;      ///< difference of a sample's loss, or of a row of results
  bool operator==(const SameWork&) const = default;
};

/// How much to measure; outside the trial's identity.
struct Measure {
  double margin = stats::rules::margin;          ///< the smallest difference that matters, as a fraction
  double half_width = stats::rules::half_width;  ///< wanted precision, as a fraction
  double relative_half_width =
      stats::rules::relative_half_width;       ///< ... of a large difference, as a fraction of its logarithm
  std::optional<double> per_contrast_seconds;  ///< active measuring time at most
  std::optional<double> total_seconds;         ///< wall time of the whole sweep, starts and passes too
  Metric metric = Metric::time_per_sample;
  std::optional<ComparedResult> result;      ///< the compared result of the metric result, and only of that
  std::optional<double> result_margin = {};  ///< in the unit of the result, in place of `margin`: it is compared by
                                             ///< difference
  std::optional<std::int64_t> n;             ///< steps of time_to_n, and only of that
  std::optional<std::int64_t> slices;        ///< fixed number of scored slices of each arm
  std::optional<std::int64_t> steps;         ///< fixed number of steps of each slice
  bool explain = false;                      ///< measure each cell again with one thing changed (intervention.hpp)
  bool again = true;                         ///< measure the best of many cells again: chosen figures flatter (R12)
  SameWork same_work = {};                   ///< the parts of the same-work check that were widened
  bool operator==(const Measure&) const = default;
};

struct Limits {
  double trial_timeout_seconds = 300;
  std::int64_t attempts = 3;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::int64_t> failures = {};  ///< failed trials after which a run stops
  bool retry_timeouts = false;  ///< a program that ran too long is run again, as one that died; else it has failed
  bool operator==(const Limits&) const = default;
};

/// How the processes of a command with `ranks` start.
enum class Launch : std::uint8_t {
  once,      ///< one process, on the cores of all its slots: it starts others itself, or has threads
  env,       ///< one a rank, each on its slot, with RANK, WORLD_SIZE, MASTER_ADDR and the like
  torchrun,  ///< the same, and what torchrun says of itself
  mpirun,    ///< one `mpirun`, in front of the command
  srun,      ///< one `srun --overlap`, in front of the command
};
inline constexpr std::array launch_names = {"once", "env", "torchrun", "mpirun", "srun"};

/// Whether Regatta starts a process for each rank.
constexpr bool starts_each_rank(Launch launch) { return launch == Launch::env || launch == Launch::torchrun; }

/// An installation of an engine: `engine@NAME`.
struct Environment {
  std::string name;
  std::string engine;
  std::string python;                ///< interpreter; empty if `program` is given
  std::vector<std::string> program;  ///< argument array of a worker that speaks docs/reference/worker-protocol.md
  std::map<std::string, std::string> variables;
  Launch launch = Launch::once;  ///< env or torchrun, where the program is a loop of several ranks
};

struct Sweep;

/// Installations that `engine@NAME` may name although the sweep does not declare them.
struct OutsideEnvironments {
  std::map<std::string, std::string> declared;  ///< name and engine; goes before the sweep's own of that name
  std::set<std::string> installed;              ///< Python installations, asked after the sweep's own
  std::set<std::string> locked = {};            ///< "tensorflow-2.1": what scripts/setup-engines.sh can install
  /// Why an optional engine ("torch?") of this sweep cannot run here, or nothing; not set: every one can.
  std::function<std::optional<std::string>(const Sweep&, const std::string&)> missing = {};
  bool any = false;  ///< every name: somebody has checked them before
  /// Cores of a slot, the level of "threads": "all"; not set: "all" is no level.
  std::function<std::int64_t()> cores = {};
};

/// Where a program runs: where Regatta was started, or in a folder of its trial's own, empty before each run.
enum class WorkFolder : std::uint8_t { none, removed, kept };

/// The part of a finished trial's output that is kept; a failed trial's is kept in any case.
enum class KeptOutput : std::uint8_t { tail, kept, none };

/// A number that stands elsewhere than in a line with a JSON object. One of pattern, column and key is not empty.
struct ResultSource {
  std::string name;
  std::string file = {};     ///< in the folder of the trial; empty: its standard output
  std::string pattern = {};  ///< regular expression; the first group of its last match is the number
  std::string column = {};   ///< a CSV file's, in its last row
  std::string key = {};      ///< in a JSON file: keys and positions with dots between them
  std::string unit = {};
  bool operator==(const ResultSource&) const = default;
};

/// An external program measured by the engine `command`.
struct Command {
  std::string name;
  std::vector<std::string> argv;
  std::string metric_key;  ///< empty: whole-process wall time; else this key of the JSON object it prints, in seconds
  std::string program_as_written;    ///< argv[0] as the file has it: what the trial's identity uses; empty: argv[0]
  std::set<std::string> reads = {};  ///< axes of the sweep's own: {NAME} in argv, or named by "reads"
  std::vector<std::string> results = {};              ///< numbers that each run tells; empty: whichever it tells
  std::map<std::string, std::string> variables = {};  ///< a trial's: what it reads, REGATTA_NAME for each
  WorkFolder folder = WorkFolder::none;
  KeptOutput output = KeptOutput::tail;
  Launch launch = Launch::once;
  std::vector<ResultSource> sources = {};  ///< where those of `results` stand that are no JSON lines
  Hash128 trial = {};                      ///< a trial's: its hash, which names the files of its output
  bool operator==(const Command&) const = default;
};

/// How a table is read where its first lines do not tell, or tell it wrongly.
struct TableKeys {
  std::string delimiter = {};           ///< one character; empty: as the file's name says
  std::optional<bool> has_header = {};  ///< not set: told from the first lines
  std::string decimal = {};             ///< empty: a point
  std::vector<std::string> missing = {};
  std::vector<std::string> columns = {};  ///< none: all
  std::vector<std::string> drop = {};
  std::vector<std::string> categories = {};
  bool operator==(const TableKeys&) const = default;
};

/// The order in which rows stand.
enum class RowOrder : std::uint8_t {
  shuffled,  ///< none that matters: the test part is drawn
  time,      ///< rows are a series: its end is the test part
};

/// The rule by which rows of the data become the test part of a training.
struct SplitKeys {
  std::optional<double> test = {};      ///< their share; not set: a fifth
  std::optional<bool> stratified = {};  ///< the same share of each class; not set: where labels are classes
  std::optional<RowOrder> order = {};   ///< not set: shuffled
  std::string group_column = {};        ///< rows with the same value there stay together; empty: none
  bool operator==(const SplitKeys&) const = default;
};

/// Samples of the user's own, which a level of `dataset` names (docs/guide/your-data.md).
struct Dataset {
  std::string name = {};
  std::string data = {};             ///< the file
  std::string labels = {};           ///< the file of the labels; empty: `data` holds them too, or there are none
  std::string label_column = {};     ///< in a CSV file
  std::optional<double> scale = {};  ///< samples are value * scale + shift; not set: bytes are divided by 255
  double shift = 0;
  std::string data_as_written = {};    ///< as the file has it: what the trial's identity uses
  std::string labels_as_written = {};  ///< the same
  TableKeys table = {};
  std::string test = {};  ///< the file of the test part; empty: rows of `data`, or what comes with it
  std::string test_labels = {};
  std::string test_as_written = {};
  std::string test_labels_as_written = {};
  SplitKeys split = {};
  std::string validation = {};  ///< the file of the validation part; empty: each seed draws its own
  std::string validation_labels = {};
  std::string validation_as_written = {};
  std::string validation_labels_as_written = {};
  bool operator==(const Dataset&) const = default;
};

enum class Paths : std::uint8_t { where_they_are, as_written };

/// The entry as JSON, its keys in a fixed order and only those that are set.
std::string to_json(const Dataset& dataset, Paths paths);

struct Sweep {
  std::string name;
  Task task = Task::benchmark;
  std::vector<Axis> axes;                ///< axes of all points
  std::vector<std::vector<Param>> zips;  ///< axes that go together level by level
  std::vector<When> whens;
  std::vector<Condition> excludes;
  std::vector<std::vector<Axis>> includes;  ///< grids beside the first, in which these axes have other levels
  Condition only;                           ///< the points that --only leaves of all
  std::vector<LeftOut> left_out;            ///< optional levels that were not found: no point has them
  std::vector<Value> optional_engines;      ///< levels written with a `?`, found or not
  std::int64_t repeats = 1;
  std::optional<Compare> compare;
  Measure measure;
  std::optional<Training> training;  ///< task train's, and only there
  Objective objective;               ///< the same
  std::optional<Search> search;      ///< none: all configurations under all seeds
  Limits limits;
  std::map<std::string, Environment> environments;
  OutsideEnvironments outside;
  std::map<std::string, model::Model> models;      ///< written out among the levels of `model`, by name
  std::map<std::string, std::string> model_files;  ///< name of the model in each file that the sweep names
  std::map<std::string, Command> commands;
  std::map<std::string, Dataset> datasets;
  /// By command: files that it reads, as written, and where they are.
  std::map<std::string, std::map<std::string, std::filesystem::path>> inputs;
  /// Names of rows of the parameter table, such as seed, that are axes of its own here: its programs alone read them.
  std::set<std::string> own_rows;
  std::filesystem::path file;        ///< where it was read; relative paths inside were resolved against its folder
  std::string text;                  ///< the bytes of the file, with a number for "threads": "all"
  std::vector<std::string> changes;  ///< changes that are not in the text: see apply_change
};

/// Whether Regatta brings the dataset along: "synthetic" and "digits".
bool is_shipped_dataset(std::string_view name);

/// The user's own data that a trial reads; null if it reads none, or a dataset that Regatta brings along.
const Dataset* dataset_of(const Sweep& sweep, const Parameters& parameters);

}  // namespace regatta::sweep
