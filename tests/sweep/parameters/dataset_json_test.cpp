#include <gtest/gtest.h>

#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {
namespace {

TEST(DatasetJson, HasTheKeysThatAreSet) {
  Dataset dataset;
  dataset.data = "/data/x.csv";
  dataset.data_as_written = "x.csv";
  EXPECT_EQ(to_json(dataset, Paths::as_written), R"({"data":"x.csv"})");
  dataset.scale = 0.5;
  dataset.shift = -1;
  dataset.label_column = "kind";
  dataset.split = {.test = 0.25, .stratified = true, .order = RowOrder::shuffled};
  EXPECT_EQ(to_json(dataset, Paths::where_they_are),
            R"({"data":"/data/x.csv","label_column":"kind","scale":0.5,"shift":-1.0,)"
            R"("split":{"test":0.25,"stratified":true,"order":"shuffled"}})");
}

}  // namespace
}  // namespace regatta::sweep
