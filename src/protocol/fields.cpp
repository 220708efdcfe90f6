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

std::string pack(const std::vector<stats::Sample>& samples) {
  std::string bytes(samples.size() * sizeof(stats::Sample), '\0');
  if (!samples.empty()) std::memcpy(bytes.data(), samples.data(), bytes.size());
  return bytes;
}

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

void Writer::json_text(const char* name, const std::string& text) {
  Json value = text.empty() ? Json() : Json::parse(text, nullptr, false);
  expect(text.empty() || value.is_object(), "text that stands in a header as JSON is an object");
  json_[name] = std::move(value);
}

void Writer::payload(const std::vector<sweep::BlockTask>& tasks, std::uint32_t count) {
  expect(tasks.size() == count, "a grant brings one task for each of its blocks");
  payload_ = pack(tasks);
}

Json Writer::to_value(stats::Phase phase) { return stats::name_of(phase); }

Json Writer::to_value(const sweep::Outcome& outcome) {
  Json json = {{"status", sweep::status_of(outcome)}};
  std::visit(Overloaded{[&](const sweep::Failed& failed) {
                          json["kind"] = sweep::to_string(failed.kind);
                          json["message"] = failed.message;
                        },
                        [&](const sweep::Skipped& skipped) { json["reason"] = skipped.reason; }, [](const auto&) {}},
             outcome);
  return json;
}

Json Writer::to_value(const sweep::Facts& facts) {
  Json json = Json::object();
  for (const sweep::KnownFact& known : facts) {
    Json& member = json[std::string(sweep::info(known.fact).tag)];
    std::visit([&](const auto& value) { member = value; }, known.value);
  }
  return json;
}

void Writer::facts_of_worker(const sweep::Facts& facts) {
  const Json members = to_value(facts);
  for (const auto& [tag, value] : members.items()) json_[tag] = value;
}

void refuse(const Place& place, std::string_view found, std::string_view expected) {
  throw PeerLost(fmt::format("message '{}', field '{}': found {}, expected {}", excerpt(place.message), place.field,
                             found.empty() ? "nothing" : excerpt(found), expected));
}

const Json& Reader::required(const char* name) const {
  const auto found = json_.find(name);
  if (found == json_.end()) refuse({message_, name}, "", "this field");
  return *found;
}

void Reader::json_text(const char* name, std::string& text) {
  const Json& value = required(name);
  if (!value.is_object() && !value.is_null()) refuse({message_, name}, dump(value), "an object or null");
  text = value.is_null() ? std::string() : dump(value);
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

void Reader::from_value(const Json& json, const Place& place, bool& value) {
  if (!json.is_boolean()) refuse(place, dump(json), "true or false");
  value = json.get<bool>();
}

// Null is how JSON writes a number that is not finite: the loss of a run that diverged.
void Reader::from_value(const Json& json, const Place& place, double& value) {
  if (!json.is_number() && !json.is_null()) refuse(place, dump(json), "a number");
  value = json.is_null() ? std::nan("") : json.get<double>();
}

void Reader::from_value(const Json& json, const Place& place, std::string& value) {
  if (!json.is_string()) refuse(place, dump(json), "a string");
  value = json.get<std::string>();
}

void Reader::from_value(const Json& json, const Place& place, stats::Phase& value) {
  std::string name;
  from_value(json, place, name);
  const auto phase = sweep::state_of<stats::Phase>(stats::phase_names, name);
  if (!phase || !stats::has_steps(*phase)) refuse(place, name, "first, warmup, reentry or steady");
  value = *phase;
}

void Reader::from_value(const Json& json, const Place& place, sweep::FailureKind& value) {
  std::string name;
  from_value(json, place, name);
  const auto kind = sweep::state_of<sweep::FailureKind>(sweep::failure_names, name);
  if (!kind) refuse(place, name, "a kind of failure");
  value = *kind;
}

void Reader::from_value(const Json& json, const Place& place, sweep::DeviceKind& value) {
  std::string name;
  from_value(json, place, name);
  const auto kind = sweep::state_of<sweep::DeviceKind>(sweep::device_names, name);
  if (!kind) refuse(place, name, "a kind of device");
  value = *kind;
}

void Reader::from_value(const Json& json, const Place& place, sweep::Verified& value) {
  std::string name;
  from_value(json, place, name);
  const auto verified = sweep::state_of<sweep::Verified>(sweep::verified_names, name);
  if (!verified) refuse(place, name, "unchecked, yes or no");
  value = *verified;
}

void Reader::read_fact(const Json& json, const Place& place, const sweep::FactInfo& row, sweep::Facts& facts) {
  sweep::FactValue value = row.zero;
  if (auto* count = std::get_if<std::int64_t>(&value)) {
    from_value(json, place, *count);
  } else if (auto* number = std::get_if<double>(&value)) {
    from_value(json, place, *number);
  } else {
    from_value(json, place, std::get<std::string>(value));
  }
  sweep::set(facts, row.fact, std::move(value));
}

void Reader::from_value(const Json& json, const Place& place, sweep::Facts& value) {
  if (!json.is_object()) refuse(place, dump(json), "an object");
  for (const sweep::FactInfo& row : sweep::fact_table) {
    const auto found = json.find(row.tag);
    if (found != json.end()) read_fact(*found, {place.message, row.tag}, row, value);
  }
}

void Reader::facts_of_worker(sweep::Facts& facts) {
  for (const sweep::FactInfo& row : sweep::fact_table) {
    const auto found = json_.find(row.tag);
    if (!row.from_worker || found == json_.end() || found->is_null()) continue;
    const Place place{message_, row.tag};
    if (found->is_number() && found->get<double>() < 0) refuse(place, dump(*found), "a number of at least 0");
    read_fact(*found, place, row, facts);
  }
}

void Reader::from_value(const Json& json, const Place& place, sweep::Outcome& value) {
  if (!json.is_object()) refuse(place, dump(json), "an object");
  Reader inner(json, fmt::format("{}.{}", place.message, place.field));
  std::string status;
  inner("status", status);
  if (status == "finished") {
    value = sweep::Finished{};
  } else if (status == "open" || status == "lost") {  // as journals called it once
    value = sweep::Lost{};
  } else if (status == "skipped") {
    inner("reason", value.emplace<sweep::Skipped>().reason);
  } else if (status == "failed") {
    auto& failed = value.emplace<sweep::Failed>();
    inner("kind", failed.kind);
    inner("message", failed.message);
  } else {
    refuse({inner.message_, "status"}, status, "finished, failed, skipped or open");
  }
}

}  // namespace regatta::protocol
