// docs/reference/sweep-file.md holds what the code does: its sweeps are planned, its errors produced, its tables
// compared.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "regatta/base/files.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/sweep/budget.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "regatta/sweep/engines.hpp"
#include "support/places.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

const std::string& page() {
  static const std::string text = read_file(support::source_folder() + "/docs/reference/sweep-file.md");
  return text;
}

/// The fenced blocks of this language.
std::vector<std::string> blocks_of(const std::string& language) {
  std::vector<std::string> blocks;
  const std::string fence = "```" + language + "\n";
  for (std::size_t at = page().find(fence); at != std::string::npos; at = page().find(fence, at)) {
    at += fence.size();
    blocks.push_back(page().substr(at, page().find("```", at) - at));
  }
  return blocks;
}

/// Each line of a rendered table stands on the page.
void expect_on_page(const std::vector<std::string>& lines) {
  std::string table;
  for (const std::string& line : lines) table += line + "\n";
  EXPECT_NE(page().find("\n" + table), std::string::npos) << "the page should hold these lines:\n" << table;
}

template <class Names>
std::string code_list(const Names& names) {
  std::vector<std::string> quoted;
  for (const auto& name : names) quoted.push_back(fmt::format("`{}`", name));
  return quoted.empty() ? "\u2013" : fmt::format("{}", fmt::join(quoted, ", "));
}

std::string levels_cell(const ParamInfo& row) {
  if (row.type == ParamType::integer)
    return fmt::format("{} to {}{}{}", row.minimum, row.maximum, row.unit.empty() ? "" : " ", row.unit);
  if (row.type == ParamType::real) return fmt::format("{:g} to {:g}", row.least, row.most);
  return row.levels.empty() ? "a name" : code_list(row.levels);
}

TEST(SweepFilePage, HoldsTheParameterTable) {
  std::vector<std::string> lines;
  for (const ParamInfo& row : parameter_table()) {
    const bool has_default = !std::holds_alternative<std::monostate>(row.fallback);
    lines.push_back(fmt::format("| `{}` | {} | {} | {} |", row.name, levels_cell(row),
                                has_default                   ? fmt::format("`{}`", to_text(row.fallback))
                                : row.type == ParamType::real ? "the model's own"
                                : row.levels.empty()          ? "must be named"
                                                              : "the framework's own",
                                row.description));
  }
  expect_on_page(lines);
}

TEST(SweepFilePage, HoldsTheMetricTable) {
  std::vector<std::string> lines;
  for (const MetricInfo& row : metric_table)
    lines.push_back(fmt::format("| `{}` | {} | {:g} % | {} |", row.name, row.unit, 100 * row.margin, row.description));
  expect_on_page(lines);
}

const model::Model with_batch_norm = model::Network{
    "norm", {4}, {model::BatchNorm{}, model::Dense{1}}, model::Loss::mse, model::Sgd{.learning_rate = 0.1}};

/// The kinds of model that make this engine read the parameter.
std::string readers(const std::string& engine, Param param) {
  Parameters parameters;
  parameters[Param::engine] = engine;
  parameters[Param::host_dtype] = std::string("float64");  // as the text below the table says
  parameters[Param::loop] = std::string("fit");
  parameters[Param::ranks] = std::int64_t{2};
  if (engine == "command") return reads(parameters, nullptr, param) ? "yes" : "\u2013";
  std::string kinds;
  for (const char* name : {"conv1d-small", "mlp-10", "norm", "matmul-1000", "scalar-gradient", "noop"}) {
    const model::Model model = model::find_model(name, 140).value_or(with_batch_norm);
    const bool is_read = std::ranges::any_of(std::array{"pipeline", "loader"}, [&](const char* input) {
      parameters[Param::input] = std::string(input);
      return reads(parameters, &model, param);
    });
    kinds += is_read ? '1' : '0';
  }
  const std::map<std::string, std::string> words = {
      {"111111", "all"},    {"111110", "all but no-op"}, {"111100", "networks, products"}, {"111000", "networks"},
      {"100000", "conv1d"}, {"000100", "products"},      {"001000", "batch norm"},         {"000000", "\u2013"}};
  return words.at(kinds);
}

TEST(SweepFilePage, HoldsWhoReadsWhat) {
  std::vector<std::string> lines;
  for (const ParamInfo& row : parameter_table()) {
    lines.push_back(fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |", row.name, readers("native", row.param),
                                readers("numpy", row.param), readers("torch", row.param), readers("jax", row.param),
                                readers("tensorflow", row.param), readers("command", row.param)));
  }
  expect_on_page(lines);
}

TEST(SweepFilePage, HoldsTheEngines) {
  std::vector<std::string> lines;
  for (const EngineInfo& engine : engine_table()) {
    lines.push_back(fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |", engine.name, code_list(engine.modes),
                                code_list(engine.devices), code_list(engine.loops), code_list(engine.apis),
                                code_list(engine.inputs), code_list(engine.precisions)));
  }
  expect_on_page(lines);
}

TEST(SweepFilePage, NamesEveryModelInOrder) {
  std::string prose = page();  // may be wrapped between any two words
  std::ranges::replace(prose, '\n', ' ');
  const std::string names = "By name: " + code_list(model::model_names()) + ".";
  EXPECT_NE(prose.find(names), std::string::npos) << "the page should hold these words:\n" << names;
}

TEST(SweepFilePage, NamesTheDefaultBudgets) {
  const auto holds = [](const std::string& key, const std::string& value) {
    const std::size_t row = page().find("| `" + key + "` |");
    ASSERT_NE(row, std::string::npos) << key;
    const std::string line = page().substr(row, page().find('\n', row) - row);
    EXPECT_TRUE(line.ends_with("| `" + value + "` |")) << line << " should end in " << value;
  };
  holds("measure.margin", fmt::format("{:g}%", Measure{}.margin * 100));
  holds("measure.half_width", fmt::format("{:g}%", Measure{}.half_width * 100));
  holds("measure.relative_half_width", fmt::format("{:g}%", Measure{}.relative_half_width * 100));
  holds("measure.per_contrast", fmt::format("{:g}s", usual_contrast_seconds));
  holds("limits.trial_timeout", fmt::format("{:g}s", Limits{}.trial_timeout_seconds));
  holds("limits.attempts", fmt::format("{}", Limits{}.attempts));
}

TEST(SweepFilePage, EveryJsonBlockIsASweepThatPlans) {
  const auto blocks = blocks_of("json");
  EXPECT_GE(blocks.size(), 5U);
  for (const std::string& block : blocks) {
    EXPECT_EQ(input_error([&] { EXPECT_FALSE(make_plan(parse_sweep(block, "page.json")).blocks.empty()) << block; }),
              "no error")
        << block;
  }
}

TEST(SweepFilePage, TheFirstSweepIsWhatTheTextSays) {
  const Plan plan = make_plan(parse_sweep(blocks_of("json").at(0), "page.json"));
  EXPECT_EQ(plan.trials.size(), 12U);
  EXPECT_EQ(plan.merged, 4);
  EXPECT_EQ(plan.blocks.size() - clones_of(plan), 4U);
  for (const Block& block : plan.blocks)
    EXPECT_TRUE(block.has_baseline && block.arms.size() == (block.has_clone ? 2U : 3U));
}

TEST(SweepFilePage, EveryErrorIsProducedAsShown) {
  const auto blocks = blocks_of("text");
  EXPECT_GE(blocks.size(), 4U);
  for (const std::string& block : blocks) {
    const std::string cat = "$ cat ";
    const std::string plan = "$ regatta plan ";
    const std::string file = block.substr(cat.size(), block.find('\n') - cat.size());
    const std::size_t begin = block.find('\n') + 1;
    const std::size_t command = block.find(plan + file + "\n");
    ASSERT_TRUE(block.starts_with(cat) && command != std::string::npos) << block;
    const std::string text = block.substr(begin, command - begin);
    const std::string shown = block.substr(command + plan.size() + file.size() + 1);
    EXPECT_EQ(input_error([&] { make_plan(parse_sweep(text, file)); }) + "\n", shown);
  }
}

}  // namespace
}  // namespace regatta::sweep
