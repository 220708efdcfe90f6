// docs/reference/sweep.schema.json is what the tables say, and its keys are those that the reader accepts. tests/docs
// tests which files it takes.
#include <gtest/gtest.h>

#include "regatta/base/files.hpp"
#include "regatta/json/document.hpp"
#include "regatta/sweep/reader.hpp"
#include "support/places.hpp"
#include "sweep/read/read.hpp"
#include "sweep/read/sections.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

const json::Node& schema() {
  static const json::Node root = json::parse(sweep_schema(), "schema");
  return root;
}

/// The keys of the object at the end of this path.
std::vector<std::string> keys_at(const std::vector<std::string>& path) {
  const json::Node* node = &schema();
  for (const std::string& key : path) {
    const json::Member* member = json::find_member(*node, key);
    if (member == nullptr) return {"no " + key};
    node = &member->node;
  }
  std::vector<std::string> keys;
  for (const json::Member& member : *node->as<json::Node::Object>()) keys.push_back(member.key);
  return keys;
}

TEST(Schema, IsWhatDocsHold) {
  const bool same = read_file(support::source_folder() + "/docs/reference/sweep.schema.json") == sweep_schema();
  EXPECT_TRUE(same) << "write it anew: build/bin/regatta schema > docs/reference/sweep.schema.json";
}

TEST(Schema, HasTheKeysOfTheReader) {
  EXPECT_EQ(keys_at({"properties"}), sweep_keys());
  for (const std::string section : {"measure", "limits", "compare"}) {
    EXPECT_EQ(error_with(two_engines + "\"" + section + "\": {\"?\": 1}"),
              "s.json:3: /" + section + "/?: found the unknown key \"?\", expected " +
                  json::one_of(keys_at({"properties", section, "properties"})));
  }
}

TEST(Schema, HasTheParametersAndTheirLevels) {
  std::vector<std::string> axes;
  for (const ParamInfo& row : parameter_table()) {
    if (row.param != Param::repeat) axes.emplace_back(row.name);
  }
  EXPECT_EQ(keys_at({"definitions", "axes", "properties"}), axes);
  const json::Node& batch = json::find_member(json::find_member(schema(), "definitions")->node, "level-batch")->node;
  EXPECT_EQ(*json::find_member(batch, "maximum")->node.as<std::int64_t>(), info(Param::batch).maximum);
  const json::Node& prefetch =
      json::find_member(json::find_member(schema(), "definitions")->node, "level-prefetch")->node;
  EXPECT_EQ(json::find_member(prefetch, "enum")->node.as<json::Node::Array>()->size(), 5U)
      << "0, 1, auto as texts; 0, 1";
}

}  // namespace
}  // namespace regatta::sweep
