// A table whose cells are hard to write down, and what a writer hands over piece by piece as one text.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/results/table.hpp"

namespace regatta::testing_support {

inline results::Table awkward() {
  using sweep::Value;
  static const std::vector<std::vector<Value>> rows = {
      {"plain", std::int64_t{3}, 0.1},
      {"a, \"b\"\nc", Value(), 1e-7},
      {"\xff\x1b[31m", std::int64_t{-1}, std::nan("")},
  };
  results::Table table{"trials", {}, {0, 1, 2}};
  const auto add = [&](const std::string& name, const std::string& unit, bool number, std::size_t at) {
    table.columns.push_back({name, unit, number, [at](std::size_t row) { return rows[row][at]; }});
  };
  add("text", "", false, 0);
  add("count", "", true, 1);
  add("step_time", "s", true, 2);
  return table;
}

template <class Write>
std::string written(Write write) {
  std::string all;
  write([&](std::string_view piece) { all += piece; });
  return all;
}

}  // namespace regatta::testing_support
