#include "results/journal/session_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "regatta/base/bytes.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "results/journal/record_codec.hpp"

namespace regatta::results {
namespace {

void put_ids(PlanRecord& record, const sweep::Plan& plan) {
  for (const sweep::Trial& trial : plan.trials) record.trials.push_back(trial.hash);
  for (const sweep::Block& block : plan.blocks) {
    if (!block.is_final && !block.leg) record.blocks.push_back(block.hash);
  }
}

}  // namespace

Hash128 sweep_hash(const sweep::Sweep& sweep) {
  std::string changes;
  for (const std::string& change : sweep.changes) changes += change + '\n';
  return hash128(changes + axes_text(sweep.axes) + '\n' + sweep.text);
}

PlanRecord plan_record(const sweep::Sweep& sweep, const sweep::Plan& plan) {
  PlanRecord record{sweep.text, std::filesystem::absolute(sweep.file), sweep.axes, {}, {}, sweep.changes};
  put_ids(record, plan);
  return record;
}

sweep::Sweep sweep_of(const PlanRecord& plan, const Record& record) {
  sweep::Sweep sweep = sweep::parse_sweep(plan.text, plan.file, sweep::any_environment());
  for (const std::string& change : plan.changes) sweep::apply_change(sweep, change);
  try {
    sweep::take_recorded_axes(sweep, plan.axes);
  } catch (const InputError& error) {
    throw unreadable(record, "plan", error.what());
  }
  return sweep;
}

bool holds_plan(const std::vector<Record>& records, const Record& plan) {
  return std::ranges::any_of(records, [&](const Record& record) {
    return record.kind == RecordKind::plan && record.hash == plan.hash && record.payload == plan.payload;
  });
}

Record plan_again(const Record& plan) {
  ByteWriter out;
  out.hash(hash128(plan.payload));
  return {RecordKind::plan_again, plan.hash, 0, out.take()};
}

const Record& whole_plan(const std::vector<Record>& records, const Record& plan) {
  if (plan.kind != RecordKind::plan_again) return plan;
  const Hash128 wanted = read_bytes(plan, "plan_again", [](ByteReader& in) { return in.hash(); });
  for (const Record& record : records) {
    if (record.kind == RecordKind::plan && record.hash == plan.hash && hash128(record.payload) == wanted) return record;
  }
  throw InputError(
      fmt::format("the plan {} that the last session names is not in the journal (what its results belong to is not "
                  "known); run the sweep again",
                  to_string(plan.hash)));
}

Record plan_copy(const Record& header, const PlanRecord& plan, const Record& record) {
  ByteWriter out;
  out.text(header.payload);
  out.text(plan.text);
  out.text(plan.file.string());
  out.text(axes_text(plan.axes));
  out.list(plan.changes, [&](const std::string& change) { out.text(change); });
  out.hash(hash128(record.payload));
  return {RecordKind::plan_copy, record.hash, 0, out.take()};
}

PlanCopy parse_plan_copy(const Record& copy) {
  return read_bytes(copy, "plan_copy?", [&](ByteReader& in) {
    PlanCopy copied;
    copied.header = {RecordKind::header, copy.hash, journal_version, in.text()};
    copied.plan.text = in.text();
    copied.plan.file = in.text();
    copied.plan.axes = parse_axes(in.text());
    in.list([&] { copied.plan.changes.push_back(in.text()); });
    copied.wanted = in.hash();
    return copied;
  });
}

Record plan_of(const Record& copy) {
  PlanCopy copied = parse_plan_copy(copy);
  put_ids(copied.plan, sweep::make_plan(sweep_of(copied.plan, copy)));
  Record plan = to_record(copied.plan, copy.hash);
  if (hash128(plan.payload) == copied.wanted) return plan;
  throw unreadable(copy, "plan_copy?", "its sweep makes other trials in this version");
}

}  // namespace regatta::results
