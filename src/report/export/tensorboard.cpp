// Learning curves as TensorBoard reads them: TFRecord files of Event messages (tensorflow/core/util/event.proto), of
// which a scalar takes five fields, so that no library is needed.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "regatta/analysis/labels.hpp"
#include "regatta/base/crc32c.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/report/export.hpp"

namespace regatta::report {
namespace {

enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

void append_varint(std::string& out, std::uint64_t value) {
  constexpr std::uint64_t more = 0x80;
  for (; value >= more; value >>= 7) out += static_cast<char>(value | more);
  out += static_cast<char>(value);
}

template <class Number>
void append_little(std::string& out, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i) out += static_cast<char>(value >> (8 * i));
}

void append_key(std::string& out, unsigned field, Wire wire) {
  append_varint(out, field << 3 | static_cast<unsigned>(wire));
}

void append_bytes(std::string& out, unsigned field, const std::string& bytes) {
  append_key(out, field, Wire::bytes);
  append_varint(out, bytes.size());
  out += bytes;
}

/// TFRecord's: a CRC that stands beside data that hold it again would be told nothing by a plain one.
std::uint32_t masked_crc(const std::string& bytes) {
  constexpr std::uint32_t mask_delta = 0xa282ead8;
  return std::rotr(crc32c(bytes), 15) + mask_delta;
}

void append_record(std::string& file, const std::string& data) {
  std::string length;
  append_little(length, static_cast<std::uint64_t>(data.size()));
  file += length;
  append_little(file, masked_crc(length));
  file += data;
  append_little(file, masked_crc(data));
}

std::string event_at(double wall_seconds) {
  std::string event;
  append_key(event, 1, Wire::fixed64);
  append_little(event, std::bit_cast<std::uint64_t>(wall_seconds));
  return event;
}

std::string scalar_event(double wall_seconds, std::int64_t step, const std::string& tag, double value) {
  std::string scalar;
  append_bytes(scalar, 1, tag);
  append_key(scalar, 2, Wire::fixed32);
  append_little(scalar, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  std::string summary;
  append_bytes(summary, 1, scalar);
  std::string event = event_at(wall_seconds);
  append_key(event, 2, Wire::varint);
  append_varint(event, static_cast<std::uint64_t>(step));
  append_bytes(event, 5, summary);
  return event;
}

void append_leg(std::string& file, const results::LegRow& leg) {
  const sweep::Curve& curve = leg.learned.curve;
  for (const sweep::CurvePoint& point : curve.points) {
    const double wall_seconds = leg.start_wall_seconds + point.train_seconds + point.evaluate_seconds;
    for (std::size_t i = 0; i < curve.metrics.size(); ++i) {
      if (std::isfinite(point.values[i]))
        append_record(file, scalar_event(wall_seconds, point.step, curve.metrics[i], point.values[i]));
    }
  }
}

/// A name of a folder: the levels that vary, without characters that have a meaning in a path.
std::string folder_name(const results::Results& results, const results::LegRow& leg) {
  const auto& trial = results.trials[leg.trial.value];
  std::string name = analysis::trial_label(trial.parameters, analysis::axes_of(results));
  std::ranges::replace_if(
      name, [](char c) { return c == '/' || c == ' ' || c < ' ' || c == '.' || c > '~'; }, '_');
  constexpr std::size_t longest = 120;
  return fmt::format("{}-{}/{}-{}", name.substr(0, longest), to_string(trial.hash).substr(0, 8),
                     sweep::purpose_names[static_cast<std::size_t>(leg.leg.purpose)], leg.leg.seed);
}

}  // namespace

std::size_t write_tensorboard(const results::Results& results, const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const results::LegRow& leg : results.legs) {
    if (leg.learned.curve.points.empty()) continue;
    std::string& file = files[folder_name(results, leg)];
    if (file.empty()) {
      std::string version = event_at(leg.start_wall_seconds);
      append_bytes(version, 3, "brain.Event:2");
      append_record(file, version);
    }
    append_leg(file, leg);
  }
  if (files.empty()) throw InputError("no trial was trained (a benchmark has no curves); name a file of a training");
  for (const auto& [name, bytes] : files) {
    std::filesystem::create_directories(folder / name);
    write_file_atomically(folder / name / "events.out.tfevents.0.regatta", bytes, Readers::by_umask);
  }
  return files.size();
}

}  // namespace regatta::report
