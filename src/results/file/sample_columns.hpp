// The columns that samples have in every table that holds some.
#pragma once

#include <string>
#include <vector>

#include "regatta/stats/disturbance_flags.hpp"
#include "results/file/columns.hpp"
#include "results/file/netcdf_reader.hpp"
#include "results/file/netcdf_writer.hpp"

namespace regatta::results::hdf5 {

inline std::vector<std::string> disturbances() {
  std::vector<std::string> names;
  for (const auto& [flag, name] : stats::disturbance_names) {
    expect(flag == 1U << names.size(), "the names of the bits stand in their order");
    names.emplace_back(name);
  }
  return names;
}

/// `Row` has a member `sample`; the group's rows are called "sample".
template <class Row>
void write_sample_columns(GroupWriter& group, const std::vector<Row>& samples) {
  const auto put = [&](const char* name, const Column& values) { return group.variable(name, {"sample"}, values); };
  put("arm", column<std::uint32_t>(samples, [](const Row& s) { return s.sample.arm; }))
      .describe("position of the trial in its block");
  put("slice", column<std::uint32_t>(samples, [](const Row& s) { return s.sample.slice; }))
      .describe("slice of the block");
  put("rank", column<std::uint32_t>(samples, [](const Row& s) { return s.sample.rank; }))
      .describe("rank inside a data-parallel trial");
  put("square", column<std::uint32_t>(samples, [](const Row& s) { return s.sample.square; }))
      .describe("balanced square of the block that the slice belongs to");
  put("phase", column<std::int8_t>(samples, [](const Row& s) { return static_cast<std::int8_t>(s.sample.phase); }))
      .flags(phase_names)
      .describe("only steady samples count");
  put("flags", column<std::uint8_t>(samples, [](const Row& s) { return s.sample.flags; }))
      .bits(disturbances())
      .describe("disturbances of its slice; 0: none was seen");
  put("steps", column<std::uint32_t>(samples, [](const Row& s) { return s.sample.steps; }))
      .describe("consecutive steps that the sample covers");
  put("t_start", column<double>(samples, [](const Row& s) { return s.sample.start_seconds; }))
      .unit("s")
      .describe("start, on the steady clock of the host");
  put("wall_s", column<double>(samples, [](const Row& s) { return s.sample.seconds; }))
      .unit("s")
      .describe("elapsed time of all its steps");
}

template <class Row>
void read_sample_columns(const GroupReader& group, std::vector<Row>& samples) {
  using Integers = std::vector<std::int64_t>;
  constexpr std::size_t all_u16 = std::size_t{1} << 16;
  constexpr std::size_t all_u32 = std::size_t{1} << 32;
  const Integers arm = group.integers_in("arm", 0, all_u16);
  const Integers slice = group.integers_in("slice", 0, all_u32);
  const Integers rank = group.integers_in("rank", 0, all_u16);
  const Integers square = group.integers_in("square", 0, all_u16);
  const Integers phase = group.integers_in("phase", 0, phase_names.size());
  const Integers flags = group.integers_in("flags", 0, 256);
  const Integers steps = group.integers_in("steps", 0, all_u32);
  const auto start = group.numbers("t_start");
  const auto seconds = group.numbers("wall_s");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    stats::Sample& sample = samples[i].sample;
    sample.slice = static_cast<std::uint32_t>(slice[i]);
    sample.arm = static_cast<std::uint16_t>(arm[i]);
    sample.phase = static_cast<stats::Phase>(phase[i]);
    sample.flags = static_cast<std::uint8_t>(flags[i]);
    sample.steps = static_cast<std::uint32_t>(steps[i]);
    sample.rank = static_cast<std::uint16_t>(rank[i]);
    sample.square = static_cast<std::uint16_t>(square[i]);
    sample.start_seconds = start[i];
    sample.seconds = seconds[i];
  }
}

}  // namespace regatta::results::hdf5
