#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "commands/commands.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/log.hpp"
#include "regatta/model/checkpoints.hpp"
#include "regatta/model/tensors.hpp"
#include "regatta/results/leg_values.hpp"
#include "regatta/results/parameters_of.hpp"

namespace regatta::launcher {
namespace {

constexpr std::string_view best_prefix = "best/";
constexpr std::size_t most_letters = 150;  // a name's; file systems take 255

/// The text as a part of a file's name.
std::string as_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
    if (is_plain || !name.ends_with('-')) name += is_plain ? c : '-';
  }
  return name;
}

/// The axes that tell the trials of these results apart.
std::vector<sweep::Param> varying_axes(const results::Results& results) {
  std::vector<sweep::Param> axes = results::axes_of_sweep(results);
  std::erase_if(axes, [&](const sweep::Param& axis) {
    return std::ranges::all_of(results.trials, [&](const results::TrialRow& trial) {
      return trial.parameters[axis] == results.trials.front().parameters[axis];
    });
  });
  return axes;
}

/// "batch-32_learning_rate-0.01_seed-1000": axes that vary and the seed, or the trial's id where that is too long.
std::string name_of_run(const results::Results& results, const std::vector<sweep::Param>& axes,
                        const results::LegRow& leg) {
  const results::TrialRow& trial = results.trials[leg.trial.value];
  std::string name;
  for (const sweep::Param& axis : axes) {
    if (axis != sweep::Param::seed)
      name += as_name(fmt::format("{}-{}", sweep::name_of(axis), sweep::to_text(trial.parameters[axis]))) + "_";
  }
  if (name.size() > most_letters) name = to_string(trial.hash) + "_";
  name += fmt::format("seed-{}", leg.leg.seed);
  return leg.leg.purpose == sweep::Purpose::again ? name + "_again" : name;
}

std::map<std::string, std::string> about(const results::Results& results, const results::LegRow& leg) {
  const results::TrialRow& trial = results.trials[leg.trial.value];
  std::map<std::string, std::string> texts = {{"sweep", results.name},
                                              {"trial", to_string(trial.hash)},
                                              {"parameters", sweep::to_json(trial.parameters)},
                                              {"seed", std::to_string(leg.leg.seed)},
                                              {"best_step", std::to_string(leg.learned.best_step)}};
  for (const std::string& metric : leg.learned.curve.metrics)
    texts[metric] = fmt::format("{}", results::value_of(leg.learned.curve, leg.learned.best, metric));
  return texts;
}

/// The file that a run left behind. A loop of the user's own has a folder instead.
std::filesystem::path checkpoint_of(const results::LegRow& leg, const std::filesystem::path& folder) {
  const std::filesystem::path name = leg.learned.checkpoint;
  if (name.filename() != name)
    throw InputError(fmt::format("the results name the checkpoint '{}', which is no name of a file", name.string()));
  return folder / "checkpoints" / name;
}

/// The folder of regatta.checkpoint_dir().
std::filesystem::path own_files(const std::filesystem::path& checkpoint) {
  return std::filesystem::path(checkpoint).replace_extension(".own");
}

bool keeps_own_files(const std::filesystem::path& checkpoint) {
  return !std::filesystem::exists(checkpoint) && std::filesystem::is_directory(own_files(checkpoint));
}

/// Somebody may have swapped the files, and a disk may have changed them: such weights would bear the name and the
/// metrics of another run.
void expect_usable(const std::filesystem::path& checkpoint) {
  try {
    model::expect_checkpoint(checkpoint);
  } catch (const InputError& error) {
    throw InputError(fmt::format(
        "query: {} (nothing is written). Bring the file back from a copy, or choose other rows", error.what()));
  }
}

/// The last leg of each run that kept its weights and met no test: it knows the best evaluation of the whole run.
std::vector<const results::LegRow*> kept_runs(const results::Results& results, const std::vector<std::size_t>& rows) {
  std::vector<const results::LegRow*> runs;
  std::map<std::string, std::size_t> places;
  for (const std::size_t row : rows) {
    const results::LegRow& leg = results.legs[row];
    if (leg.learned.checkpoint.empty() || leg.leg.purpose == sweep::Purpose::test) continue;
    const auto [place, is_new] = places.try_emplace(leg.learned.checkpoint, runs.size());
    if (is_new)
      runs.push_back(&leg);
    else if (leg.leg.to >= runs[place->second]->leg.to)
      runs[place->second] = &leg;
  }
  return runs;
}

}  // namespace

std::size_t write_kept_weights(const results::Results& results, const std::vector<std::size_t>& legs,
                               const std::filesystem::path& folder, const std::filesystem::path& out) {
  const std::vector<const results::LegRow*> runs = kept_runs(results, legs);
  if (runs.empty())
    throw InputError(
        "query: none of these runs kept its weights. Set \"keep_weights\": true in \"train\" before the run, or choose "
        "other rows of the table legs");
  const std::vector<sweep::Param> axes = varying_axes(results);
  // All of them first: a folder with some of the weights would look whole.
  for (const results::LegRow* run : runs) {
    if (const auto from = checkpoint_of(*run, folder); !keeps_own_files(from)) expect_usable(from);
  }
  std::filesystem::create_directories(out);
  std::set<std::string> names;
  std::size_t written = 0;
  for (const results::LegRow* run : runs) {
    const std::filesystem::path from = checkpoint_of(*run, folder);
    const std::filesystem::path own = own_files(from);
    std::string name = name_of_run(results, axes, *run);
    if (!names.insert(name).second) name += "_" + own.stem().string();
    if (keeps_own_files(from)) {
      log::info(fmt::format("{}: its program kept its own files in {}", name, own.string()));
      continue;
    }
    const std::filesystem::path to = out / (name + ".safetensors");
    const std::size_t tensors = model::copy_tensors(from, best_prefix, to, about(results, *run));
    if (tensors == 0) {
      log::warn(fmt::format("{} has no best weights: no evaluation was finite", name));
      continue;
    }
    log::info(fmt::format("wrote {} ({} tensors)", to.string(), tensors));
    ++written;
  }
  return written;
}

}  // namespace regatta::launcher
