#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/results/finals.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"

namespace regatta::results {
namespace {

bool names_sweep(const Record& record) {
  return is_header(record) || is_plan(record) || record.kind == RecordKind::agent ||
         record.kind == RecordKind::session_end || record.kind == RecordKind::plan_copy ||
         record.kind == RecordKind::orchestration || record.kind == RecordKind::stop_asked;
}

/// The remains of a session.
struct Remains {
  std::span<Record> records;
  std::optional<Hash128> sweep;
  const Record* header = nullptr;
  const Record* plan = nullptr;
  const Record* copy = nullptr;
};

/// The result of `read`; nothing if it throws InputError.
template <class Read>
auto attempt(Read&& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

class Sessions {
 public:
  Sessions(std::vector<Record>& records, const std::vector<LostPiece>& lost) : records_(records), lost_(lost) {}

  std::vector<Remains> split() const {
    std::vector<Remains> sessions;
    for (std::size_t first = 0; first < records_.size();) {
      std::size_t end = first + 1;
      while (end < records_.size() && !begins(end)) ++end;
      sessions.push_back(remains_of(first, end));
      first = end;
    }
    return sessions;
  }

 private:
  /// Whether the record at `at` is of another session than that before it.
  bool begins(std::size_t at) const {
    const Record& before = records_[at - 1];
    if (is_header(records_[at])) return true;
    if (is_header(before)) return false;
    if (is_plan(records_[at]) || before.kind == RecordKind::session_end) return true;
    return std::ranges::any_of(lost_, [&](const LostPiece& lost) {
      return lost.behind == at && lost.head && (is_header(*lost.head) || is_plan(*lost.head));
    });
  }

  /// The sweep that the head of a damaged record names, one of those from `first` to `end`.
  std::optional<Hash128> sweep_of_lost(std::size_t first, std::size_t end) const {
    for (const LostPiece& lost : lost_) {
      const bool is_here = lost.behind >= first && (lost.behind < end || end == records_.size());
      if (is_here && lost.head && names_sweep(*lost.head)) return lost.head->hash;
    }
    return std::nullopt;
  }

  Remains remains_of(std::size_t first, std::size_t end) const {
    Remains session;
    session.records = {records_.data() + first, end - first};
    session.sweep = sweep_of_lost(first, end);
    for (const Record& record : session.records) {
      if (names_sweep(record)) session.sweep = record.hash;
      if (is_header(record)) session.header = &record;
      if (is_plan(record)) session.plan = &record;
      if (record.kind == RecordKind::plan_copy) session.copy = &record;
    }
    return session;
  }

  std::vector<Record>& records_;
  const std::vector<LostPiece>& lost_;
};

struct FoundPlan {
  Record record;
  std::string from;
};

class Mender {
 public:
  Mender(std::vector<Record> records, const std::vector<LostPiece>& lost, const GivenSweep* given, std::string name)
      : records_(std::move(records)),
        given_(given),
        name_(std::move(name)),
        sessions_(Sessions(records_, lost).split()) {
    if (given_ != nullptr) given_hash_ = sweep_hash(given_->sweep);
    for (Remains& session : sessions_) {
      if (!fits_given(session)) continue;
      session.sweep = given_hash_;
      whole_.fits_given = true;
    }
  }

  WholeSessions mend() {
    for (const Remains& session : sessions_) {
      ++number_;
      const std::optional<Record> plan = plan_for(session);
      whole_.records.push_back(header_for(session, plan ? &*plan : nullptr));
      if (plan) take_plan(*plan);
      for (Record& record : session.records) take(record);
    }
    return std::move(whole_);
  }

 private:
  /// A block of the plan, or a final of its cells.
  bool is_of_given(const Record& result) const {
    if (std::ranges::find(given_->plan.blocks, result.hash, &sweep::Block::hash) != given_->plan.blocks.end())
      return true;
    const auto parsed = attempt([&] { return parse_result(result); });
    return parsed && FinalReader(given_->plan).final_in(parsed->block);
  }

  /// Nothing of the session speaks against it, and something for it.
  bool fits_given(const Remains& session) const {
    if (given_ == nullptr || (session.sweep && *session.sweep != given_hash_)) return false;
    std::size_t results = 0;
    for (const Record& record : session.records) {
      if (record.kind != RecordKind::result) continue;
      if (!is_of_given(record)) return false;
      ++results;
    }
    return session.sweep || results > 0;
  }

  /// Records that later sessions may need are copied.
  void take(Record& record) {
    if (is_header(record) || is_plan(record)) return;
    if (record.kind == RecordKind::plan_copy)
      whole_.records.push_back(record);
    else
      whole_.records.push_back(std::move(record));
  }

  void say_anew(const char* what, const std::string& from) {
    whole_.made_anew.push_back(fmt::format("the {} of session {}, from {}", what, number_, from));
  }

  /// Its own, or what is as good.
  std::optional<Record> plan_for(const Remains& session) {
    if (session.plan != nullptr && session.plan->kind == RecordKind::plan) return *session.plan;
    if (session.plan != nullptr) {
      const auto earlier = attempt([&] { return whole_plan(records_, *session.plan); });
      if (earlier) return earlier;
    }
    const std::optional<FoundPlan> found = session.sweep ? found_plan(*session.sweep) : std::nullopt;
    if (found)
      say_anew("plan", found->from);
    else
      whole_.given_up.push_back(fmt::format("the plan of session {}", number_));
    return found ? std::optional(found->record) : std::nullopt;
  }

  const std::optional<FoundPlan>& found_plan(const Hash128& sweep) {
    const auto [found, is_new] = found_.try_emplace(sweep);
    if (is_new) found->second = find_plan(sweep);
    return found->second;
  }

  std::optional<FoundPlan> find_plan(const Hash128& sweep) const {
    for (const Record& record : records_) {
      if (record.hash != sweep) continue;
      if (record.kind == RecordKind::plan) return FoundPlan{record, fmt::format("record {}", record.place.sequence)};
      if (record.kind != RecordKind::plan_copy) continue;
      // This version may make other trials of it, or a file that it names may be gone.
      auto plan = attempt([&] { return plan_of(record); });
      if (plan) return FoundPlan{std::move(*plan), fmt::format("its copy in record {}", record.place.sequence)};
    }
    if (given_ == nullptr || sweep != given_hash_ || !whole_.fits_given) return std::nullopt;
    return FoundPlan{to_record(plan_record(given_->sweep, given_->plan), given_hash_), "the sweep file"};
  }

  Record header_for(const Remains& session, const Record* plan) {
    if (session.header != nullptr) return *session.header;
    if (session.copy != nullptr) {
      if (const auto copy = attempt([&] { return parse_plan_copy(*session.copy); })) {
        say_anew("header", fmt::format("its copy in record {}", session.copy->place.sequence));
        return copy->header;
      }
    }
    const auto other = std::ranges::find_if(records_, [&](const Record& record) {
      return is_header(record) && session.sweep && record.hash == *session.sweep;
    });
    if (other != records_.end()) {
      say_anew("header", fmt::format("that in record {}", other->place.sequence));
      return *other;
    }
    HeaderRecord header{name_, {}};
    if (plan != nullptr) header = header_of(*plan);
    say_anew("header", plan != nullptr ? "its plan" : "the folder's name");
    return to_record(header, session.sweep.value_or(Hash128{}));
  }

  static HeaderRecord header_of(const Record& plan) {
    const PlanRecord planned = parse_plan(plan);
    HeaderRecord header;
    header.name = sweep_of(planned, plan).name;
    header.provenance.sweep_file = planned.file.string();
    return header;
  }

  void take_plan(const Record& plan) {
    whole_.records.push_back(holds_plan(whole_.records, plan) ? plan_again(plan) : plan);
    whole_.has_plan = true;
  }

  std::vector<Record> records_;
  const GivenSweep* given_;
  std::string name_;
  Hash128 given_hash_{};
  std::vector<Remains> sessions_;
  std::map<Hash128, std::optional<FoundPlan>> found_;
  std::size_t number_ = 0;
  WholeSessions whole_;
};

}  // namespace

WholeSessions whole_sessions(std::vector<Record> records, const std::vector<LostPiece>& lost, const GivenSweep* given,
                             const std::string& name) {
  return Mender(std::move(records), lost, given, name).mend();
}

}  // namespace regatta::results
