// From the text of a sweep file to a valid sweep, or one error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/json/cursor.hpp"
#include "regatta/json/document.hpp"
#include "regatta/json/problem.hpp"
#include "regatta/sweep/parameters.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

// all_threads.cpp: "threads": "all", as many as a slot here has cores. It becomes that number in the text itself:
// whoever reads the recorded text later, on whatever machine, reads the sweep that was measured.

inline constexpr std::string_view all_threads = "all";

/// The text of a sweep with that number in place of each "all", and blanks, so that all else stays where it is. A level
/// that is there already is not named twice. `root`: the same text, parsed; `cores` is asked only if there is one.
std::string with_all_threads(std::string text, const json::Node& root, const std::function<std::int64_t()>& cores);

/// The same for what the command line assigns: "threads=1,all".
std::string with_all_threads(const std::string& assignment, const std::function<std::int64_t()>& cores);

// axes.cpp: The statements of a sweep's axes, `when` and `include` together about a parameter.

/// The axis of this parameter among those of all points, or null.
const Axis* find_axis(const Sweep& sweep, const Param& param);

/// Whether some axis gives the parameter its level, at all points or at some; `repeat` has one if there are several.
bool has_axis(const Sweep& sweep, const Param& param);

/// Whether the parameter has this level at a point of the sweep, leaving exclusions aside.
bool has_level(const Sweep& sweep, const Param& param, const Value& value);

/// The names of all parameters that have an axis, `repeat` first.
std::vector<std::string> axis_names(const Sweep& sweep);

/// The level that --only or its absence here takes away, if it is one: why.
std::optional<std::string> why_taken_away(const Sweep& sweep, const Param& param, const Value& value);

// named_file.cpp: The things that a sweep's sections name: entries, and files beside the sweep.

/// Refuses a key that cannot be a name.
void need_name(const json::Cursor::Member& member);

/// A file, relative to the sweep's folder. It is looked at where measuring begins, but who made a mistake hears it
/// before: refuses at `cursor` what cannot be read, unless the sweep is read again elsewhere.
std::filesystem::path named_file(const json::Cursor& cursor, const std::string& name, const Sweep& sweep);

/// The same of data: a file, a folder, or FILE:/DATASET, with its dataset.
std::filesystem::path named_data(const json::Cursor& cursor, const std::string& name, const Sweep& sweep);

// problem.cpp: Where in a sweep's file something stands.

/// The place of `pointer` in the text that the sweep was read from.
json::Place place_in(const Sweep& sweep, const std::string& pointer);

// optional_levels.cpp: Optional engines: "torch?" is measured where it is found, and left out elsewhere.

/// "torch" for the level "torch?" of the axis engine; nothing for any other.
std::optional<std::string> optional_engine(Param param, const Value& level);

/// Looks for the engine and writes into the sweep that it is left out if it is not found. Returns the problem with the
/// name, or nothing; its `found` is empty.
std::optional<json::Problem> take_optional_engine(Sweep& sweep, const std::string& engine);

/// Leaves out what another reading of the sweep left out ("--without engine=torch"); false for other changes.
bool leave_out_again(Sweep& sweep, const std::string& change);

// placeholders.cpp: {n} in the arguments of a program, which stands for the value of the axis n. {{n}} stands for the
// text {n}; braces around anything but a name stay as they are, and so does ${HOME}.

/// The word with each {NAME} as `text_of(NAME)`.
std::string with_placeholders_replaced(std::string_view word,
                                       const std::function<std::string(std::string_view)>& text_of);

// read_levels.cpp: The levels of one parameter, as an axis, a `when` or an `include` writes them.

/// The rules for an axis, by the place where it stands.
struct LevelRules {
  std::optional<std::int64_t> samples;  ///< so many draws of a random axis
  std::int64_t sample_seed = 0;
  bool may_be_random = false;  ///< else levels and ranges only
  bool may_repeat = false;     ///< in a zip, the same level may stand in several rows
};

/// The parameter of this name and its levels. A model written out, or in a file, joins the sweep's; an engine that was
/// not found ("torch?") joins what is left out. Throws InputError.
Axis read_axis(const json::Cursor::Member& member, const LevelRules& rules, Sweep& sweep);

/// One level: a scalar that the parameter can have. Throws InputError.
Value read_level(const json::Cursor& cursor, const Param& param, const Sweep& sweep);

// read_models.cpp: Models that are levels of their own: written out in the sweep, or in a file that it names.

/// The name of a model written out, which joins the sweep's models. Throws InputError.
Value read_written_out_model(const json::Cursor& cursor, Sweep& sweep);

/// The name of the model in the file that a level names ("models/odd.json", relative to the sweep), which joins the
/// sweep's models; nothing for a level that is no path. Throws InputError.
std::optional<Value> read_model_file(const json::Cursor& cursor, Sweep& sweep);

/// Writes the contents of the sweep's files into its text: models that it names by their file, and the digests of
/// users' own. A later reader of the text plans the same trials, wherever that is. `root` is that text parsed. No line
/// moves.
void record_files(const json::Node& root, Sweep& sweep);

// read_training.cpp: The sections of a sweep of task `train`, and the limits of their numbers.

inline constexpr double least_epochs = 0.001;
inline constexpr double most_epochs = 1e6;
inline constexpr std::int64_t most_train_steps = 1'000'000'000'000;
inline constexpr std::int64_t most_evaluations = 10'000;
inline constexpr double most_validation = 0.9;
inline constexpr std::int64_t most_seeds = 1000;
inline constexpr std::int64_t most_rungs = 10;
inline constexpr double least_factor = 1.5;
inline constexpr double most_factor = 10;
inline constexpr std::int64_t most_finalists = 64;

/// The keys "task", "train", "objective" and "search"; before the axes.
void read_training(const json::Fields& fields, Sweep& sweep);

/// After all other sections: what does not go together with the task.
void check_task(const json::Fields& fields, const Sweep& sweep);

// synonyms.cpp: The names that people write who know other programs, and the names here.

struct Synonym {
  std::string meant;  ///< a level of the parameter or the name of a parameter; empty: none
  std::string why;    ///< in brackets behind what is expected; may be empty
};

/// The name of a level here: "compile" of the axis mode.
Synonym meant_level(const Param& param, std::string_view written);

/// The name of an axis here: "lr".
Synonym meant_parameter(std::string_view written);

/// A hint for a text in the place of numbers: "32", "1..64", "1, 2, 4". "" if it is none of these.
std::string meant_numbers(std::string_view written);

// user_models.cpp: Users' own models in a sweep: the files that they name, and the digests that make an edited file
// another model.

/// Completes the model that stands at `level`: where its files lie, and what is in them. A sweep that was accepted
/// before (any_environment) is believed. Throws InputError for a file that cannot be read, or is not the one that
/// "sources" names.
void find_sources(const json::Cursor& level, const Sweep& sweep, model::UserModel& user);

/// , "sources": {...}: what to add to a model for that, so that a later reader need not have the files.
std::string sources_json(const model::UserModel& user);

}  // namespace regatta::sweep
