#include "checkpoint.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string>
#include <string_view>

#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/model/checkpoints.hpp"

namespace regatta::worker {
namespace {

constexpr std::string_view weights_prefix = "weights/";
constexpr std::string_view optimizer_prefix = "optimizer/";
constexpr std::string_view best_prefix = "best/";

std::string text_of(const RunState& state, const std::filesystem::path& path) {
  return fmt::format("{} {} {} {} {} {} {} {}\n{}\n{}", state.step, state.loss_sum, state.loss_count,
                     state.train_seconds, state.evaluate_seconds, state.without_gain, state.gained,
                     state.is_over ? 1 : 0, path.filename().string(), sweep::to_json(state.learned));
}

double real_in(std::istream& in) {
  std::string word;
  in >> word;
  try {
    return std::stod(word);  // "nan" and "inf" too
  } catch (const std::exception&) {
    throw InputError("its state holds '" + word + "' where a number stands");
  }
}

RunState parse_state(const std::string& text, const std::filesystem::path& path) {
  const std::size_t end = text.find('\n');
  const std::size_t run_end = text.find('\n', end + 1);
  if (end == std::string::npos || run_end == std::string::npos) throw InputError("its state is cut short");
  model::expect_run_of(path, std::string_view(text).substr(end + 1, run_end - end - 1));
  std::istringstream in(text.substr(0, end));
  RunState state;
  int over = 0;
  in >> state.step;
  state.loss_sum = real_in(in);
  in >> state.loss_count;
  state.train_seconds = real_in(in);
  state.evaluate_seconds = real_in(in);
  in >> state.without_gain;
  state.gained = real_in(in);
  in >> over;
  if (!in || state.step < 0) throw InputError("its state holds too few numbers");
  state.is_over = over != 0;
  state.learned = sweep::parse_learned(std::string_view(text).substr(run_end + 1));
  return state;
}

void add(std::vector<model::Tensor>& all, std::string_view prefix, const std::vector<model::Tensor>& tensors) {
  for (const model::Tensor& tensor : tensors) {
    all.push_back(tensor);
    all.back().name = std::string(prefix) + tensor.name;
  }
}

void take(std::vector<model::Tensor>& into, std::string_view prefix, const model::Tensor& tensor) {
  if (!tensor.name.starts_with(prefix)) return;
  into.push_back(tensor);
  into.back().name = tensor.name.substr(prefix.size());
}

RunState state_in(const std::vector<model::Tensor>& all, const std::filesystem::path& path) {
  try {
    model::expect_sealed(all);
    RunState state = parse_state(model::state_text(all), path);
    for (const model::Tensor& tensor : all) {
      take(state.weights, weights_prefix, tensor);
      take(state.optimizer, optimizer_prefix, tensor);
      take(state.best, best_prefix, tensor);
    }
    return state;
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}' cannot be used: {}", path.string(), error.what()));
  }
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const RunState& state) {
  std::vector<model::Tensor> all = {model::state_tensor(text_of(state, path))};
  add(all, weights_prefix, state.weights);
  add(all, optimizer_prefix, state.optimizer);
  add(all, best_prefix, state.best);
  model::seal(all);
  model::write_safetensors(path, all);
}

std::optional<RunState> read_checkpoint(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    return state_in(model::read_safetensors(path), path);
  } catch (const InputError& error) {
    log::warn(fmt::format("{} (the run begins again)", error.what()));
    return std::nullopt;
  }
}

}  // namespace regatta::worker
