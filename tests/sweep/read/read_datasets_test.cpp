#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

std::string error(const std::string& inside) { return error_with("\"datasets\": {\"cells\": " + inside + "}"); }

TEST(ReadDatasets, FilesAreRelativeToTheSweep) {
  const std::string keys = R"("axes": {"model": "mlp-10", "dataset": ["cells", "digits"]},
    "datasets": {"cells": {"data": "../x.npy", "labels": "y.npy", "scale": 0.5}, "rows": {"data": "/r.csv", "label_column": "kind"}})";
  const Sweep sweep = parse_sweep(file_with(keys), "/data/me/s.json", any_environment());
  const Dataset& cells = sweep.datasets.at("cells");
  EXPECT_EQ(cells.data, "/data/x.npy");
  EXPECT_EQ(cells.data_as_written, "../x.npy");
  EXPECT_EQ(cells.labels, "/data/me/y.npy");
  EXPECT_EQ(cells.scale, 0.5);
  EXPECT_EQ(cells.shift, 0);
  EXPECT_EQ(sweep.datasets.at("rows").data, "/r.csv");
  EXPECT_EQ(sweep.datasets.at("rows").label_column, "kind");
  EXPECT_EQ(sweep.datasets.at("rows").scale, std::nullopt);
}

TEST(ReadDatasets, SayHowATableIsRead) {
  const std::string keys = R"("axes": {"model": "mlp-10", "dataset": "cells"},
    "datasets": {"cells": {"data": "/x.csv", "delimiter": ";", "header": true, "decimal": ",", "missing": ["?"],
                           "drop": ["", "id"], "categories": ["zip"]}})";
  const Dataset cells = parse_sweep(file_with(keys), "/data/me/s.json", any_environment()).datasets.at("cells");
  EXPECT_EQ(cells.table, (TableKeys{.delimiter = ";",
                                    .has_header = true,
                                    .decimal = ",",
                                    .missing = {"?"},
                                    .drop = {"", "id"},
                                    .categories = {"zip"}}));
  EXPECT_EQ(to_json(cells, Paths::as_written),
            R"({"data":"/x.csv","delimiter":";","header":true,"decimal":",","missing":["?"],"drop":["","id"],)"
            R"("categories":["zip"]})");
  EXPECT_EQ(error(R"({"data": "/etc/passwd", "columns": ["a"], "drop": ["b"]})"),
            "s.json:2: /datasets/cells/drop: found a list, expected only one of \"columns\" and \"drop\"");
  EXPECT_THAT(error(R"({"data": "/etc/passwd", "delimiter": "ab"})"), testing::HasSubstr("/delimiter: found \"ab\""));
  EXPECT_THAT(error(R"({"data": "/etc/passwd", "drop": [0]})"),
              testing::HasSubstr("/drop/0: found 0, expected a text"));
}

TEST(ReadDatasets, SayWhichPartIsTested) {
  const std::string keys = R"("axes": {"model": "mlp-10", "dataset": "cells"},
    "datasets": {"cells": {"data": "x.npy", "labels": "y.npy", "test": "tx.npy", "test_labels": "ty.npy"},
                 "rows": {"data": "r.csv", "split": {"test": 0.25, "stratified": false, "group_column": "who"}},
                 "days": {"data": "d.csv", "split": {"order": "time"}}})";
  const auto datasets = parse_sweep(file_with(keys), "/data/me/s.json", any_environment()).datasets;
  EXPECT_EQ(datasets.at("cells").test, "/data/me/tx.npy");
  EXPECT_EQ(datasets.at("cells").test_labels_as_written, "ty.npy");
  EXPECT_EQ(to_json(datasets.at("cells"), Paths::as_written),
            R"({"data":"x.npy","labels":"y.npy","test":"tx.npy","test_labels":"ty.npy"})");
  EXPECT_EQ(to_json(datasets.at("rows"), Paths::where_they_are),
            R"({"data":"/data/me/r.csv","split":{"test":0.25,"stratified":false,"group_column":"who"}})");
  EXPECT_EQ(datasets.at("days").split.order, RowOrder::time);
  for (const auto& [inside, words] : std::map<std::string, std::string>{
           {R"({"data": "/etc/passwd", "test_labels": "/etc/passwd"})", "/test_labels: found \"/etc/passwd\""},
           {R"({"data": "/etc/passwd", "test": "/etc/passwd", "split": {}})", "only one of \"test\" and \"split\""},
           {R"({"data": "/etc/passwd", "split": {"test": 1}})", "/split/test: found 1"},
           {R"({"data": "/etc/passwd", "split": {"order": "time", "stratified": true}})",
            "/split/stratified: found true"},
           {R"({"data": "/etc/passwd", "split": {"order": "time", "group_column": "g"}})",
            "/split/group_column: found"},
           {R"({"data": "/etc/passwd", "split": {"order": "sorted"}})", "/split/order: found \"sorted\""}})
    EXPECT_THAT(error(inside), testing::HasSubstr(words)) << inside;
}

TEST(ReadDatasets, MayNameTheValidationPart) {
  const std::string keys = R"("axes": {"model": "mlp-10", "dataset": "cells"},
    "datasets": {"cells": {"data": "x.npy", "validation": "vx.npy", "validation_labels": "vy.npy", "split": {"test": 0.1}}})";
  const Dataset cells = parse_sweep(file_with(keys), "/data/me/s.json", any_environment()).datasets.at("cells");
  EXPECT_EQ(cells.validation, "/data/me/vx.npy");
  EXPECT_EQ(to_json(cells, Paths::as_written),
            R"({"data":"x.npy","split":{"test":0.1},"validation":"vx.npy","validation_labels":"vy.npy"})");
  EXPECT_EQ(error(R"({"data": "/etc/passwd", "validation_labels": "/etc/passwd"})"),
            "s.json:2: /datasets/cells/validation_labels: found \"/etc/passwd\", expected a file \"validation\" that "
            "has these labels");
}

TEST(ReadDatasets, NameFilesThatCanBeRead) {
  EXPECT_EQ(error("{}"), "s.json:2: /datasets/cells/data: found nothing, expected the path of a file or folder");
  EXPECT_EQ(error(R"({"data": 3})"), "s.json:2: /datasets/cells/data: found 3, expected the path of a file or folder");
  EXPECT_EQ(error(R"({"data": "/dev/null"})"),
            "s.json:2: /datasets/cells/data: found \"/dev/null\", expected a file that can be read ('/dev/null' is a "
            "pipe or a device (reading it may never end); name a file)");
  EXPECT_EQ(error(R"({"data": "/etc/passwd", "labels": "/etc/passwd", "label_column": "a"})"),
            "s.json:2: /datasets/cells/label_column: found \"a\", expected only one of \"labels\" and "
            "\"label_column\"");
  EXPECT_EQ(error(R"({"data": "/etc/passwd", "scale": "x"})"),
            "s.json:2: /datasets/cells/scale: found \"x\", expected a number from -1e+30 to 1e+30");
}

TEST(ReadDatasets, MayBeFoldersAndDatasetsOfHdf5Files) {
  const std::string folder = testing::TempDir();
  const std::string no_error = error(R"({"data": "/etc/passwd"})");  // the sweep has no axes
  EXPECT_EQ(error(R"({"data": ")" + folder + R"("})"), no_error);
  const std::string file = std::filesystem::path(folder) / "regatta_read_datasets.h5";
  EXPECT_THAT(error(R"({"data": ")" + file + R"(:/train/x"})"),
              testing::HasSubstr("expected a file that can be read (cannot open '" + file + "'"));
  std::ofstream(file) << "HDF";
  EXPECT_EQ(error(R"({"data": ")" + file + R"(:/train/x", "labels": ")" + file + R"(:/train/y"})"), no_error);
  std::filesystem::remove(file);
}

TEST(ReadDatasets, HaveNamesOfTheirOwn) {
  EXPECT_EQ(error_with(R"("datasets": {"digits": {"data": "/etc/passwd"}})"),
            "s.json:2: /datasets/digits: found the key \"digits\", expected a name that no dataset of Regatta has");
  EXPECT_EQ(
      error_with(R"("datasets": {"a b": {"data": "/etc/passwd"}})").find("s.json:2: /datasets/a b: found the key"), 0U);
}

TEST(ReadDatasets, AreAskedForByName) {
  EXPECT_EQ(error_with(R"("axes": {"dataset": "cels"}, "datasets": {"cells": {"data": "/etc/passwd"}})"),
            "s.json:2: /axes/dataset: found \"cels\", expected \"synthetic\", \"digits\", \"japanese-vowels\" or "
            "\"cells\"; did "
            "you mean \"cells\"?");
}

}  // namespace
}  // namespace regatta::sweep
