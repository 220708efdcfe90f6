#include "table.hpp"

#include <fstream>
#include <sstream>

#include "regatta/base/error.hpp"

namespace regatta::search::testing {
namespace {

std::optional<double> number_or_dash(std::istream& line) {
  std::string word;
  if (!(line >> word)) throw InputError("a line of the table is too short");
  return word == "-" ? std::nullopt : std::optional(std::stod(word));
}

void append(std::ostream& text, const std::optional<double>& value) {
  text << ' ';
  value ? text << *value : text << '-';
}

template <class Value>
double mean_of(const std::vector<TableRun>& runs, Value value) {
  double sum = 0;
  for (const TableRun& run : runs) sum += value(run).value_or(0);
  return sum / static_cast<double>(runs.size());
}

}  // namespace

Table read_table(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::size_t configurations = 0;
  std::size_t seeds = 0;
  Table table;
  if (!(file >> configurations >> seeds >> table.rungs)) throw InputError("no table in " + path.string());
  table.runs.assign(configurations, std::vector<TableRun>(seeds));
  for (std::size_t line = 0; line < configurations * seeds; ++line) {
    std::size_t configuration = 0;
    std::size_t seed = 0;
    if (!(file >> configuration >> seed)) throw InputError("the table in " + path.string() + " ends early");
    TableRun& run = table.runs.at(configuration).at(seed);
    for (std::size_t rung = 0; rung < table.rungs; ++rung) run.scores.push_back(number_or_dash(file));
    run.test = number_or_dash(file);
    if (run.scores.size() != table.rungs) throw InputError("the table in " + path.string() + " has a run twice");
  }
  return table;
}

std::string table_text(const Table& table) {
  std::ostringstream text;
  text.precision(17);
  text << table.runs.size() << ' ' << table.runs.at(0).size() << ' ' << table.rungs << '\n';
  for (std::size_t configuration = 0; configuration < table.runs.size(); ++configuration) {
    for (std::size_t seed = 0; seed < table.runs[configuration].size(); ++seed) {
      const TableRun& run = table.runs[configuration][seed];
      text << configuration << ' ' << seed;
      for (const auto& score : run.scores) append(text, score);
      append(text, run.test);
      text << '\n';
    }
  }
  return text.str();
}

double true_score(const Table& table, std::size_t configuration) {
  return mean_of(table.runs[configuration], [](const TableRun& run) { return run.scores.back(); });
}

double true_test(const Table& table, std::size_t configuration) {
  return mean_of(table.runs[configuration], [](const TableRun& run) { return run.test; });
}

std::size_t truly_best(const Table& table) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < table.runs.size(); ++i) {
    if (true_score(table, i) > true_score(table, best)) best = i;
  }
  return best;
}

}  // namespace regatta::search::testing
