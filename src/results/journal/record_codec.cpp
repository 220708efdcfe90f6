#include "results/journal/record_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>

#include "regatta/base/bytes.hpp"
#include "regatta/base/error.hpp"

namespace regatta::results {
namespace {

// Bits of a result. None is ever used again for something else.
constexpr std::uint8_t continues_bit = 1;
constexpr std::uint8_t measured_again_bit = 2;
constexpr std::uint8_t interrupted_bit = 4;
constexpr std::uint8_t visit_bit = 8;  // the number of the visit follows

/// The state that a byte of the journal names.
template <class State, std::size_t n>
State state_at(const std::array<const char*, n>&, std::uint8_t value, const char* what) {
  if (value >= n) throw InputError(fmt::format("it names {} {} that this version does not know", what, value));
  return static_cast<State>(value);
}

void put(ByteWriter& out, const sweep::Outcome& outcome) {
  out.number(static_cast<std::uint8_t>(outcome.index()));
  if (const auto* failed = std::get_if<sweep::Failed>(&outcome)) {
    out.number(static_cast<std::uint8_t>(failed->kind));
    out.text(failed->message);
  }
  if (const auto* skipped = std::get_if<sweep::Skipped>(&outcome)) {
    out.number(static_cast<std::uint8_t>(skipped->kind));
    out.text(skipped->reason);
  }
}

sweep::FailureKind take_kind(ByteReader& in) {
  return state_at<sweep::FailureKind>(sweep::failure_names, in.number<std::uint8_t>(), "a kind of failure");
}

sweep::SkipKind take_skip(ByteReader& in) {
  return state_at<sweep::SkipKind>(sweep::skip_names, in.number<std::uint8_t>(), "a kind of skip");
}

enum class Status : std::uint8_t { finished, failed, skipped, lost };

Status take_status(ByteReader& in) {
  return state_at<Status>(sweep::status_names, in.number<std::uint8_t>(), "an outcome");
}

sweep::Verified take_verified(ByteReader& in) {
  return state_at<sweep::Verified>(sweep::verified_names, in.number<std::uint8_t>(), "a state of work");
}

stats::Flags take_flags(ByteReader& in) {
  const auto bits = in.number<std::uint32_t>();
  const auto flags = stats::flags_of_bits(bits);
  if (!flags) throw InputError(fmt::format("it names flags {} that this version does not know", bits));
  return *flags;
}

sweep::Outcome take_outcome(ByteReader& in) {
  switch (take_status(in)) {
    case Status::finished:
      return sweep::Finished{};
    case Status::failed: {
      const sweep::FailureKind kind = take_kind(in);
      return sweep::Failed{kind, in.text()};
    }
    case Status::skipped: {
      const sweep::SkipKind kind = take_skip(in);
      return sweep::Skipped{in.text(), kind};
    }
    case Status::lost:
      break;
  }
  return sweep::Lost{};
}

/// Position of its type in FactRead::value.
std::size_t type_of(const sweep::FactInfo& info) { return sweep::is_text(info) ? 0 : info.zero.index(); }

/// Number of the fact, position of its type, value: who does not know a fact can pass over it.
void put(ByteWriter& out, const sweep::KnownFact& known) {
  out.number(static_cast<std::uint8_t>(known.fact));
  out.number(static_cast<std::uint8_t>(type_of(sweep::info(known.fact))));
  sweep::visit_plain(known.value, [&](const auto& value) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>)
      out.number(value);
    else
      out.text(value);
  });
}

/// A fact as it stands there.
struct FactRead {
  const sweep::FactInfo* row;  ///< null: a later version's
  std::variant<std::string_view, double, std::int64_t> value;
};

FactRead read_fact(ByteReader& in) {
  const auto id = in.number<std::uint8_t>();
  const auto type = in.number<std::uint8_t>();
  FactRead fact{};
  if (type == 0)
    fact.value = in.text_view();
  else if (type == 1)
    fact.value = in.number<double>();
  else if (type == 2)
    fact.value = in.number<std::int64_t>();
  else
    throw InputError(fmt::format("it holds a fact of a type {} that this version does not know", type));
  const auto row = std::ranges::find(sweep::fact_table, static_cast<sweep::Fact>(id), &sweep::FactInfo::fact);
  if (row == sweep::fact_table.end()) return fact;
  if (type_of(*row) != type) throw InputError(fmt::format("its fact '{}' is of another type", row->tag));
  fact.row = &*row;
  return fact;
}

sweep::FactValue value_of(const FactRead& fact) {
  if (const auto* text = std::get_if<std::string_view>(&fact.value)) return sweep::parse_fact(*fact.row, *text);
  if (const auto* number = std::get_if<double>(&fact.value)) return *number;
  return std::get<std::int64_t>(fact.value);
}

void take_fact(ByteReader& in, sweep::Facts& facts) {
  const FactRead fact = read_fact(in);
  if (fact.row == nullptr) return;
  sweep::FactValue value = value_of(fact);
  const bool is_next = facts.empty() || facts.back().fact < fact.row->fact;  // they stand in their order
  if (!is_next || value == fact.row->zero) return sweep::set(facts, fact.row->fact, std::move(value));
  sweep::KnownFact& known = facts.emplace_back();
  known.fact = fact.row->fact;
  known.value = std::move(value);
}

/// Refuses what take_fact() refuses, and keeps nothing.
void pass_fact(ByteReader& in) {
  const FactRead fact = read_fact(in);
  const bool is_structure = fact.row != nullptr && !std::holds_alternative<std::string>(fact.row->zero);
  if (is_structure) static_cast<void>(value_of(fact));
}

void put(ByteWriter& out, const sweep::ArmOutcome& arm) {
  out.hash(arm.trial);
  put(out, arm.outcome);
  out.number(static_cast<std::uint8_t>(arm.verified));
  out.text(arm.environment);
  out.text(arm.engine);
  out.text(arm.intervention);
  out.list(arm.facts, [&](const sweep::KnownFact& known) { put(out, known); });
  out.text(arm.learned ? sweep::to_json(*arm.learned) : "");
}

std::optional<sweep::Learned> take_learned(ByteReader& in) {
  const std::string_view text = in.text_view();
  return text.empty() ? std::nullopt : std::optional(sweep::parse_learned(text));
}

sweep::ArmOutcome take_arm(ByteReader& in) {
  sweep::ArmOutcome arm;
  arm.trial = in.hash();
  arm.outcome = take_outcome(in);
  arm.verified = take_verified(in);
  arm.environment = in.text();
  arm.engine = in.text();
  arm.intervention = in.text();
  in.list([&] { take_fact(in, arm.facts); });
  arm.learned = take_learned(in);
  return arm;
}

/// Whether the arm failed, or was skipped for want of something that another machine or command may have. Passes over
/// it without keeping its texts.
bool pass_failed_arm(ByteReader& in) {
  static_cast<void>(in.hash());
  const Status status = take_status(in);
  bool failed = status == Status::failed;
  if (status == Status::failed) static_cast<void>(take_kind(in));
  if (status == Status::skipped) failed = sweep::may_run_elsewhere(take_skip(in));
  if (status == Status::failed || status == Status::skipped) static_cast<void>(in.text_view());
  static_cast<void>(take_verified(in));
  for (int text = 0; text < 3; ++text) static_cast<void>(in.text_view());
  in.list([&] { pass_fact(in); });
  static_cast<void>(take_learned(in));
  return failed;
}

/// The first fields of a result.
struct ResultBits {
  std::uint8_t bits = 0;
  std::uint32_t agent = 0;
  double start_wall_seconds = 0;
  double end_wall_seconds = 0;
  double own_seconds = 0;
  SampleExtent samples;
  std::uint32_t visit = 0;
};

ResultBits take_bits(ByteReader& in) {
  ResultBits result;
  result.bits = in.number<std::uint8_t>();
  result.agent = in.number<std::uint32_t>();
  result.start_wall_seconds = in.number<double>();
  result.end_wall_seconds = in.number<double>();
  result.own_seconds = in.number<double>();
  result.samples.offset_bytes = in.number<std::uint64_t>();
  result.samples.count = in.number<std::uint64_t>();
  result.samples.crc = in.number<std::uint32_t>();
  if ((result.bits & visit_bit) != 0) result.visit = in.number<std::uint32_t>();
  return result;
}

sweep::DeviceReadings take_readings(ByteReader& in) {
  sweep::DeviceReadings device;
  in.list([&] { device.before.push_back(in.number<double>()); });
  in.list([&] { device.after.push_back(in.number<double>()); });
  return device;
}

}  // namespace

Record to_record(const PlanRecord& plan, const Hash128& sweep) {
  ByteWriter out;
  out.text(plan.text);
  out.text(plan.file.string());
  out.text(axes_text(plan.axes));
  out.list(plan.trials, [&](const Hash128& trial) { out.hash(trial); });
  out.list(plan.blocks, [&](const Hash128& block) { out.hash(block); });
  out.list(plan.changes, [&](const std::string& change) { out.text(change); });
  return {RecordKind::plan, sweep, 0, out.take()};
}

PlanRecord parse_plan(const Record& record) {
  return read_bytes(record, "plan", [](ByteReader& in) {
    PlanRecord plan;
    plan.text = in.text();
    plan.file = in.text();
    plan.axes = parse_axes(in.text());
    in.list([&] { plan.trials.push_back(in.hash()); });
    in.list([&] { plan.blocks.push_back(in.hash()); });
    in.list([&] { plan.changes.push_back(in.text()); });
    return plan;
  });
}

Record to_record(const ResultRecord& result) {
  const BlockRecord& block = result.block;
  ByteWriter out;
  out.number(static_cast<std::uint8_t>((block.continues ? continues_bit : 0) |
                                       (block.measured_again ? measured_again_bit : 0) |
                                       (block.interrupted ? interrupted_bit : 0) | (block.visit > 0 ? visit_bit : 0)));
  out.number(block.agent);
  out.number(block.start_wall_seconds);
  out.number(block.end_wall_seconds);
  out.number(block.own_seconds);
  out.number(result.samples.offset_bytes);
  out.number(result.samples.count);
  out.number(result.samples.crc);
  if (block.visit > 0) out.number(block.visit);
  out.number(block.flags.bits);
  out.list(block.arms, [&](const sweep::ArmOutcome& arm) { put(out, arm); });
  for (const sweep::DeviceReading* reading : {&block.device.before, &block.device.after})
    out.list(*reading, [&](double figure) { out.number(figure); });
  return {RecordKind::result, block.block, block.attempt, out.take()};
}

ResultRecord parse_result(const Record& record) {
  return read_bytes(record, "result", [&](ByteReader& in) {
    ResultRecord result;
    BlockRecord& block = result.block;
    block.block = record.hash;
    block.attempt = attempt_of(record);
    const ResultBits read = take_bits(in);
    block.continues = (read.bits & continues_bit) != 0;
    block.measured_again = (read.bits & measured_again_bit) != 0;
    block.interrupted = (read.bits & interrupted_bit) != 0;
    block.agent = read.agent;
    block.start_wall_seconds = read.start_wall_seconds;
    block.end_wall_seconds = read.end_wall_seconds;
    block.own_seconds = read.own_seconds;
    block.visit = read.visit;
    result.samples = read.samples;
    block.flags = take_flags(in);
    in.list([&] {
      block.arms.push_back(take_arm(in));
      block.arms.back().arm = {static_cast<std::uint32_t>(block.arms.size() - 1)};
    });
    block.device = take_readings(in);
    return result;
  });
}

ResultHead read_result_head(const Record& record) {
  return read_bytes(record, "result", [&](ByteReader& in) {
    static_cast<void>(attempt_of(record));
    const ResultBits read = take_bits(in);
    ResultHead head{(read.bits & interrupted_bit) != 0, false, read.start_wall_seconds, read.end_wall_seconds,
                    read.own_seconds};
    static_cast<void>(take_flags(in));
    in.list([&] { head.has_failed_arm = pass_failed_arm(in) || head.has_failed_arm; });
    static_cast<void>(take_readings(in));
    return head;
  });
}

Record to_record(const FailedAttemptRecord& attempt) {
  ByteWriter out;
  out.hash(attempt.trial);
  out.number(static_cast<std::uint8_t>(attempt.kind));
  out.text(attempt.message);
  return {RecordKind::failed_attempt, attempt.block, attempt.attempt, out.take()};
}

FailedAttemptRecord parse_failed_attempt(const Record& record) {
  return read_bytes(record, "failed_attempt", [&](ByteReader& in) {
    FailedAttemptRecord attempt;
    attempt.block = record.hash;
    attempt.attempt = attempt_of(record);
    attempt.trial = in.hash();
    attempt.kind = take_kind(in);
    attempt.message = in.text();
    return attempt;
  });
}

Record to_record(const GrantedRecord& granted) {
  ByteWriter out;
  out.number(granted.agent);
  return {RecordKind::granted, granted.block, granted.attempt, out.take()};
}

GrantedRecord parse_granted(const Record& record) {
  return read_bytes(record, "granted", [&](ByteReader& in) {
    return GrantedRecord{record.hash, attempt_of(record), in.number<std::uint32_t>()};
  });
}

}  // namespace regatta::results
