// How long a report takes, how large it is and how much memory it needs, for results of 10^3 and 10^5 trials.
//   bench_report_size [TRIALS]...
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "regatta/analysis/findings.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/report/report.hpp"
#include "regatta/results/file.hpp"

namespace {

using namespace regatta;

constexpr int squares = 8;
constexpr int samples_of_a_slice = 4;

results::TrialRow trial(const char* mode, std::int64_t batch, double seconds) {
  using sweep::Param;
  results::TrialRow row;
  row.parameters[Param::engine] = std::string("native");
  row.parameters[Param::mode] = std::string(mode);
  row.parameters[Param::model] = std::string("mlp-10");
  row.parameters[Param::device] = std::string("cpu");
  row.parameters[Param::precision] = std::string("fp32");
  row.parameters[Param::threads] = std::int64_t{1};
  row.parameters[Param::batch] = batch;
  row.hash = hash128(sweep::to_json(row.parameters));
  row.outcome = sweep::Finished{};
  row.verified = sweep::Verified::yes;
  row.attempt = 1;
  row.env = row.host = row.device = 0;
  row.metrics = {{"step_time", seconds}, {"step_time_mean", seconds}, {"prepare_time", 0.01}, {"first_step", seconds}};
  return row;
}

void add_slices(results::Results& results, std::uint32_t block, std::uint16_t arm, double seconds,
                std::mt19937& noise) {
  std::normal_distribution<double> spread(0, 0.01);
  const TrialIndex owner = results.blocks[block].arms[arm];
  for (std::uint32_t square = 0; square < squares; ++square) {
    for (std::uint32_t round = 0; round < 2; ++round) {
      stats::Sample sample;
      sample.arm = arm;
      sample.square = static_cast<std::uint16_t>(square);
      sample.steps = 10;
      sample.slice = square * 6 + 2 + round * 2 + (arm + round) % 2;
      if (round == 0) {
        sample.phase = stats::Phase::first;
        sample.slice = square * 6 + arm;
        sample.seconds = seconds;
        results.samples.push_back({owner, BlockIndex{block}, sample});
        sample.slice = square * 6 + 2 + arm;
      }
      sample.phase = stats::Phase::steady;
      for (int i = 0; i < samples_of_a_slice; ++i) {
        sample.seconds = 10 * seconds * (1 + spread(noise));
        results.samples.push_back({owner, BlockIndex{block}, sample});
      }
    }
  }
}

/// Blocks of two arms, the second 1 to 3 times as slow.
results::Results results_of(std::int64_t trials) {
  results::Results results;
  results.name = "size";
  results.complete = true;
  results.axis_names = {"mode", "batch"};
  results.hosts = {{"host", "CPU", 1, 2, std::int64_t{4} << 30, "6.1", ""}};
  results.devices = {{0, "cpu", "cores 0,1", {}}};
  results.envs = {{"native", "native", "0.1.0"}};
  results.provenance.created = "2026-01-01T00:00:00Z";
  std::mt19937 noise(1);
  for (std::int64_t batch = 1; batch <= trials / 2; ++batch) {
    const double seconds = 1e-6 * static_cast<double>(batch);
    const double ratio = 1 + static_cast<double>(batch % 3);
    const auto first = static_cast<std::uint32_t>(results.trials.size());
    results.trials.push_back(trial("graph", batch, seconds));
    results.trials.push_back(trial("eager", batch, seconds * ratio));
    results::BlockRow block;
    block.hash = hash128("block " + std::to_string(batch));
    block.arms = {TrialIndex{first}, TrialIndex{first + 1}};
    block.has_baseline = true;
    block.attempt = 1;
    results.blocks.push_back(block);
    const auto index = static_cast<std::uint32_t>(results.blocks.size() - 1);
    add_slices(results, index, 0, seconds, noise);
    add_slices(results, index, 1, seconds * ratio, noise);
  }
  return results;
}

double megabytes(std::uintmax_t bytes) { return static_cast<double>(bytes) * 1e-6; }

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024e-6;
}

void measure(std::int64_t trials) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("regatta-report-size-{}.h5", ::getpid());
  results::write_results(file, results_of(trials));
  const double size = megabytes(std::filesystem::file_size(file));
  std::vector<double> marks = {steady_seconds()};
  const auto mark = [&] { marks.push_back(steady_seconds()); };
  const results::Results results = results::read_results(file);
  mark();
  const auto findings = analysis::findings_of(results);
  mark();
  const std::size_t text = report::terminal(results, findings, {}).size();
  mark();
  const std::size_t json = report::json(results, findings).size();
  mark();
  const std::size_t html = report::html(results, findings).size();
  mark();
  std::filesystem::remove(file);
  fmt::print(
      "{:>8}  {:>7.1f}  {:>6.2f}  {:>6.2f}  {:>8.2f}  {:>6.2f}  {:>6.2f}  {:>8.3f}  {:>8.1f}  {:>8.3f}  {:>8.0f}\n",
      trials, size, marks[1] - marks[0], marks[2] - marks[1], marks[3] - marks[2], marks[4] - marks[3],
      marks[5] - marks[4], megabytes(text), megabytes(json), megabytes(html), peak_megabytes());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print(
      "  trials  .h5, MB    read   judge  terminal    json    html  text, MB  json, MB  html, MB  peak, MB   (times in "
      "s)\n");
  std::vector<std::int64_t> sizes = {1'000, 100'000};
  if (argc > 1) sizes.clear();
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoll(argv[i]));
  for (const std::int64_t trials : sizes) measure(trials);
}
