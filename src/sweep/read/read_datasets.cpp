// Data that a sweep brings along.
#include <fmt/format.h>

#include "regatta/json/text.hpp"
#include "regatta/sweep/spec.hpp"
#include "sweep/read/read.hpp"
#include "sweep/read/sections.hpp"

namespace regatta::sweep {
namespace {

constexpr double largest = 1e30;  // samples are fp32

Dataset read_dataset(const json::Cursor::Member& member, const Sweep& sweep) {
  need_name(member);
  if (is_shipped_dataset(member.key)) {
    json::refuse(member.value.place,
                 {fmt::format("the key {}", json::show(member.key)), "a name that no dataset of Regatta has", ""});
  }
  const json::Fields fields(member.value, "an object", {"data", "labels", "label_column", "scale", "shift"});
  Dataset dataset;
  dataset.name = member.key;
  const auto data = fields.need("data", "the path of a file or folder");
  dataset.data_as_written = data.text("the path of a file or folder");
  dataset.data = named_data(data, dataset.data_as_written, sweep).string();
  const auto labels = fields.find("labels");
  if (labels) {
    dataset.labels_as_written = labels->text("the path of a file or folder");
    dataset.labels = named_data(*labels, dataset.labels_as_written, sweep).string();
  }
  if (const auto column = fields.find("label_column")) {
    if (labels) column->refuse("only one of \"labels\" and \"label_column\"");
    dataset.label_column = column->text("the name of a column, or its number as a text (\"4\")");
  }
  if (const auto scale = fields.find("scale")) dataset.scale = scale->number(-largest, largest);
  if (const auto shift = fields.find("shift")) dataset.shift = shift->number(-largest, largest);
  return dataset;
}

}  // namespace

void read_datasets(const json::Cursor& cursor, Sweep& sweep) {
  for (const auto& member : cursor.members("an object of datasets"))
    sweep.datasets[member.key] = read_dataset(member, sweep);
}

}  // namespace regatta::sweep
