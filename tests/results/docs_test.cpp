// The page that users read about the result file is true.
#include <gtest/gtest.h>

#include "regatta/results/file.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/file/run_program.hpp"
#include "results/sample_sweep.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

SampleSweep quickstart() {
  SampleSweep sample;
  sample.sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "quickstart", "axes": {
    "engine": ["native", "numpy"], "mode": ["eager", "graph"], "model": ["digits-mlp", "matmul-1000"],
    "batch": [8, 32, 128]}})",
                                    "/somewhere/quickstart.json");
  sample.plan = sweep::make_plan(sample.sweep);
  return sample;
}

TEST(ResultsPage, ItsPythonRunsAndItsTablesNameEveryVariable) {
  const support::TemporaryFolder folder;
  write_whole_store(folder / "quickstart.regatta", quickstart());
  std::filesystem::create_directory(folder / "results");
  const std::filesystem::path file = folder / "results" / "quickstart.h5";
  Results results = collect(folder / "quickstart.regatta");
  results.blocks[0].device = {{1980}, {1980}};  // as if it ran on a GPU: all columns are there
  write_results(file, results);
  const std::string root = support::source_folder();
  const Ended ended =
      run_program("cd " + folder.path().string() + " && /usr/bin/python3 -W ignore " + root +
                  "/tests/results/check_docs.py " + root + "/docs/reference/results.md " + file.string());
  EXPECT_EQ(ended.status, 0) << ended.output;
}

}  // namespace
}  // namespace regatta::results
