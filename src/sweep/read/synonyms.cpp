#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "regatta/json/text.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

struct LevelWord {
  Param::Known param;
  std::string_view written, meant, why;
};

constexpr std::string_view is_compile = "\"graph\" is torch.compile";

constexpr std::array<LevelWord, 20> level_words = {{
    {Param::mode, "compile", "graph", is_compile},
    {Param::mode, "compiled", "graph", is_compile},
    {Param::mode, "torch.compile", "graph", is_compile},
    {Param::mode, "tf.function", "graph", "\"graph\" is tf.function"},
    {Param::mode, "jit", "graph", "\"graph\" is jax.jit"},
    {Param::mode, "jit_compile", "xla", "\"xla\" is jit_compile"},
    {Param::engine, "pytorch", "torch", ""},
    {Param::engine, "keras", "tensorflow", "Keras is an \"api\" of tensorflow"},
    {Param::engine, "tf", "tensorflow", ""},
    {Param::engine, "flax", "jax", ""},
    {Param::engine, "np", "numpy", ""},
    {Param::device, "gpu", "cuda", ""},
    {Param::device, "cuda:0", "cuda", "the device is chosen for each slot"},
    {Param::precision, "float32", "fp32", ""},
    {Param::precision, "float", "fp32", ""},
    {Param::precision, "bfloat16", "bf16", ""},
    {Param::work, "inference", "infer", ""},
    {Param::work, "forward", "infer", ""},
    {Param::work, "predict", "infer", ""},
    {Param::work, "training", "train", ""},
}};

struct AxisWord {
  std::string_view written, meant, why;
};

constexpr std::string_view of_model = "an optimizer belongs to the model: its \"optimizer\", or what its build returns";

constexpr std::array<AxisWord, 12> axis_words = {{
    {"lr", "learning_rate", ""},
    {"batch_size", "batch", ""},
    {"num_threads", "threads", ""},
    {"cores", "threads", ""},
    {"backend", "engine", ""},
    {"framework", "engine", ""},
    {"network", "model", ""},
    {"dtype", "precision", ""},
    {"num_workers", "loader_workers", ""},
    {"gpus", "device", ""},
    {"optimizer", "", of_model},
    {"epochs", "", "how long a training is stands in \"train\""},
}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && json::is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && json::is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// "1..64", "1:64" and "1-64" as their ends.
std::optional<std::pair<std::string_view, std::string_view>> ends_of(std::string_view text) {
  for (const std::string_view between : {"...", "..", ":", " to ", "-"}) {
    const auto at = text.find(between, 1);  // a minus in front is a sign
    if (at == std::string_view::npos) continue;
    const auto first = trimmed(text.substr(0, at));
    const auto last = trimmed(text.substr(at + between.size()));
    if (json::is_number(first) && json::is_number(last)) return std::pair(first, last);
  }
  return std::nullopt;
}

/// Whether these are numbers with commas or spaces between them; also "[1, 2]".
bool are_numbers(std::string_view text) {
  bool any = false;
  while (!(text = trimmed(text)).empty()) {
    const auto end = std::min(text.find_first_of(", "), text.size());
    if (!json::is_number(text.substr(0, end))) return false;
    any = true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return any;
}

}  // namespace

Synonym meant_level(const Param& param, std::string_view written) {
  if (param.is_own()) return {};
  const auto found = std::ranges::find_if(
      level_words, [&](const LevelWord& level) { return param == level.param && level.written == written; });
  return found == level_words.end() ? Synonym() : Synonym{std::string(found->meant), std::string(found->why)};
}

Synonym meant_parameter(std::string_view written) {
  const auto found = std::ranges::find(axis_words, written, &AxisWord::written);
  return found == axis_words.end() ? Synonym() : Synonym{std::string(found->meant), std::string(found->why)};
}

std::string meant_numbers(std::string_view written) {
  std::string_view text = trimmed(written);
  if (json::is_number(text)) return json::without_quotes(text);
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  if (text.empty() || text.size() > 100) return {};
  if (const auto ends = ends_of(text))
    return fmt::format(" (a range is {{\"linear\": [{0}, {1}]}} or {{\"geometric\": [{0}, {1}]}})", ends->first,
                       ends->second);
  return are_numbers(text) ? std::string(" (several levels are a list without quotes: [1, 2, 4])") : std::string();
}

}  // namespace regatta::sweep
