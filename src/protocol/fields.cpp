#include "protocol/fields.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "protocol/block_tasks.hpp"

namespace regatta::protocol {
namespace {

static_assert(std::endian::native == std::endian::little, "samples travel as they lie in memory");

template <class... Branches>
struct Overloaded : Branches... {
  using Branches::operator()...;
};
template <class... Branches>
Overloaded(Branches...) -> Overloaded<Branches...>;  // clang 14 deduces no aggregates

bool possible(const stats::Sample& sample) {
  return static_cast<std::size_t>(sample.phase) < stats::phase_names.size() &&
         (sample.steps > 0) == stats::has_steps(sample.phase) && std::isfinite(sample.start_seconds) &&
         std::isfinite(sample.seconds) && sample.seconds >= 0;
}

}  // namespace

std::string_view view_of(const std::vector<stats::Sample>& samples) {
  return {reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(stats::Sample)};
}

std::string pack(const std::vector<stats::Sample>& samples) { return std::string(view_of(samples)); }

std::vector<stats::Sample> unpack(std::string_view bytes) {
  constexpr std::size_t record = sizeof(stats::Sample);
  if (bytes.size() % record != 0) {
    throw PeerLost(fmt::format("samples of {} bytes are not whole records of {} bytes", bytes.size(), record));
  }
  std::vector<stats::Sample> samples(bytes.size() / record);
  if (!samples.empty()) std::memcpy(samples.data(), bytes.data(), bytes.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!possible(samples[i])) throw PeerLost(fmt::format("sample {} holds no possible phase, step count or time", i));
  }
  return samples;
}

void Writer::begin_member(std::string_view name) {
  if (text_.size() > 1) text_ += ',';
  append_string(text_, name);
  text_ += ':';
}

void Writer::json_text(const char* name, const std::string& text) {
  const bool is_object = text.size() >= 2 && text.front() == '{' && text.back() == '}';
  expect(text.empty() || is_object, "text that stands in a header as JSON is an object");
  begin_member(name);
  text_ += text.empty() ? "null" : text;
}

void Writer::payload(const std::vector<sweep::BlockTask>& tasks, std::uint32_t count) {
  expect(tasks.size() == count, "a grant brings one task for each of its blocks");
  payload_ = pack(tasks);
}

void Writer::append(std::string& out, const sweep::Outcome& outcome) {
  Writer inner;
  inner("status", sweep::status_of(outcome));
  std::visit(Overloaded{[&](const sweep::Failed& failed) {
                          inner("kind", failed.kind);
                          inner("message", failed.message);
                        },
                        [&](const sweep::Skipped& skipped) {
                          inner("kind", skipped.kind);
                          inner("reason", skipped.reason);
                        },
                        [](const auto&) {}},
             outcome);
  out += inner.take_text();
}

void Writer::append(std::string& out, const sweep::Facts& facts) {
  Writer inner;
  inner.facts_of_worker(facts);
  out += inner.take_text();
}

void Writer::append(std::string& out, const sweep::Parameters& parameters) { out += sweep::to_json(parameters); }

void Writer::facts_of_worker(const sweep::Facts& facts) {
  for (const sweep::KnownFact& known : facts)
    sweep::visit_plain(known.value, [&](const auto& value) { (*this)(sweep::info(known.fact).tag, value); });
}

namespace {

/// The result of `parse`. A text that it refuses is the peer's fault.
template <class Parse>
auto parsed(const Place& place, const Parse& parse) try {
  return parse();
} catch (const InputError& error) {
  throw PeerLost(fmt::format("message '{}', field '{}': {}", excerpt(place.message), place.field, error.what()));
}

}  // namespace

void refuse(const Place& place, std::string_view found, std::string_view expected) {
  throw PeerLost(fmt::format("message '{}', field '{}': found {}, expected {}", excerpt(place.message), place.field,
                             found.empty() ? "nothing" : excerpt(found), expected));
}

Value Reader::required(std::string_view name) const {
  const auto found = json_.find(name);
  if (!found) refuse({message_, name}, "", "this field");
  return *found;
}

std::optional<Value> Reader::present(std::string_view name) const {
  const auto found = json_.find(name);
  return found && !found->is(Value::Kind::null) ? found : std::nullopt;
}

void Reader::json_text(const char* name, std::string& text) {
  const Value value = required(name);
  const bool is_null = value.is(Value::Kind::null);
  if (!value.is(Value::Kind::object) && !is_null) refuse({message_, name}, value.text(), "an object or null");
  text = is_null ? std::string() : std::string(value.text());
}

void Reader::payload(std::string& bytes) {
  bytes = payload_;
  payload_read_ = true;
}

void Reader::payload(std::vector<stats::Sample>& samples) try {
  samples = unpack(payload_);
  payload_read_ = true;
} catch (const PeerLost& error) {
  throw PeerLost(fmt::format("message '{}', payload: {}", message_, error.what()));
}

void Reader::payload(std::vector<sweep::BlockTask>& tasks, std::uint32_t count) try {
  tasks = unpack_tasks(payload_, count);
  payload_read_ = true;
} catch (const PeerLost& error) {
  throw PeerLost(fmt::format("message '{}', payload: {}", message_, error.what()));
}

void Reader::finish() const {
  if (payload_read_ || payload_.empty()) return;
  refuse({message_, "bytes"}, std::to_string(payload_.size()), "no payload");
}

void Reader::from_value(const Value& json, const Place& place, bool& value) {
  if (!json.is(Value::Kind::boolean)) refuse(place, json.text(), "true or false");
  value = json.text() == "true";
}

// Null is how JSON writes a number that is not finite: the loss of a run that diverged.
void Reader::from_value(const Value& json, const Place& place, double& value) {
  const bool is_null = json.is(Value::Kind::null);
  const auto number = json.real_number();
  if (!number && !is_null) refuse(place, json.text(), "a number");
  value = is_null ? std::nan("") : *number;
}

void Reader::from_value(const Value& json, const Place& place, std::string& value) {
  if (!json.is(Value::Kind::string)) refuse(place, json.text(), "a string");
  value = json.string();
}

void Reader::from_value(const Value& json, const Place& place, stats::Phase& value) {
  std::string name;
  from_value(json, place, name);
  const auto phase = sweep::state_of<stats::Phase>(stats::phase_names, name);
  if (!phase || !stats::has_steps(*phase)) refuse(place, name, "first, warmup, reentry or steady");
  value = *phase;
}

/// The state of this name in its table.
template <class State, class Names>
State Reader::state_named(const Value& json, const Place& place, const Names& names, std::string_view expected) {
  std::string name;
  from_value(json, place, name);
  const auto state = sweep::state_of<State>(names, name);
  if (!state) refuse(place, name, expected);
  return *state;
}

void Reader::from_value(const Value& json, const Place& place, sweep::FailureKind& value) {
  value = state_named<sweep::FailureKind>(json, place, sweep::failure_names, "a kind of failure");
}

void Reader::from_value(const Value& json, const Place& place, sweep::SkipKind& value) {
  value = state_named<sweep::SkipKind>(json, place, sweep::skip_names, "a kind of skip");
}

void Reader::from_value(const Value& json, const Place& place, sweep::DeviceKind& value) {
  value = state_named<sweep::DeviceKind>(json, place, sweep::device_names, "a kind of device");
}

void Reader::from_value(const Value& json, const Place& place, sweep::Verified& value) {
  value = state_named<sweep::Verified>(json, place, sweep::verified_names, "a state of the same work");
}

void Reader::from_value(const Value& json, const Place& place, CheckAs& value) {
  value = state_named<CheckAs>(json, place, check_as_names, "timed, shaken, shaken_again or double_precision");
}

void Reader::from_value(const Value& json, const Place& place, NumberType& value) {
  value = state_named<NumberType>(json, place, number_type_names, "fp32, tf32, fp16 or bf16");
}

void Reader::from_value(const Value& json, const Place& place, stats::Flags& value) {
  std::string names;
  from_value(json, place, names);
  const auto flags = stats::parse_flags(names);
  if (!flags) refuse(place, names, "flags with commas between");
  value = *flags;
}

void Reader::read_fact(const Value& json, const Place& place, const sweep::FactInfo& row, sweep::Facts& facts) {
  sweep::FactValue value = row.zero;
  if (auto* count = std::get_if<std::int64_t>(&value)) {
    from_value(json, place, *count);
  } else if (auto* number = std::get_if<double>(&value)) {
    from_value(json, place, *number);
  } else {
    std::string text;
    from_value(json, place, text);
    value = parsed(place, [&] { return sweep::parse_fact(row, text); });
  }
  sweep::set(facts, row.fact, std::move(value));
}

void Reader::from_value(const Value& json, const Place& place, sweep::Facts& value) {
  if (!json.is(Value::Kind::object)) refuse(place, json.text(), "an object");
  for (const sweep::FactInfo& row : sweep::fact_table) {
    const auto found = json.find(row.tag);
    if (found) read_fact(*found, {place.message, row.tag}, row, value);
  }
}

void Reader::from_value(const Value& json, const Place& place, sweep::Parameters& value) {
  if (!json.is(Value::Kind::object)) refuse(place, json.text(), "an object");
  value = parsed(place, [&] { return sweep::parse_parameters(json.text()); });
}

void Reader::from_value(const Value& json, const Place& place, sweep::Learned& value) {
  if (!json.is(Value::Kind::object)) refuse(place, json.text(), "an object");
  value = parsed(place, [&] { return sweep::parse_learned(json.text()); });
}

void Reader::facts_of_worker(sweep::Facts& facts) {
  for (const sweep::FactInfo& row : sweep::fact_table) {
    const auto found = row.from_worker ? present(row.tag) : std::nullopt;
    if (!found) continue;
    const Place place{message_, row.tag};
    if (found->real_number().value_or(0) < 0) refuse(place, found->text(), "a number of at least 0");
    read_fact(*found, place, row, facts);
  }
}

void Reader::from_value(const Value& json, const Place& place, sweep::Outcome& value) {
  if (!json.is(Value::Kind::object)) refuse(place, json.text(), "an object");
  Reader inner(json, fmt::format("{}.{}", place.message, place.field));
  std::string status;
  inner("status", status);
  if (status == "finished") {
    value = sweep::Finished{};
  } else if (status == "open" || status == "lost") {  // as journals called it once
    value = sweep::Lost{};
  } else if (status == "skipped") {
    auto& skipped = value.emplace<sweep::Skipped>();
    inner("kind", skipped.kind);
    inner("reason", skipped.reason);
  } else if (status == "failed") {
    auto& failed = value.emplace<sweep::Failed>();
    inner("kind", failed.kind);
    inner("message", failed.message);
  } else {
    refuse({inner.message_, "status"}, status, "finished, failed, skipped or open");
  }
}

}  // namespace regatta::protocol
