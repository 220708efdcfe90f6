#include "protocol/packed.hpp"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "protocol/block_tasks.hpp"
#include "regatta/base/error.hpp"

namespace regatta::protocol {
namespace {

constexpr std::size_t size_at = 1;  // behind the mark
static_assert(size_at + sizeof(std::uint32_t) == packed_head_bytes);
constexpr std::size_t usual_bytes = 400;

}  // namespace

PackedWriter::PackedWriter(std::size_t message) {
  out_.reserve(usual_bytes);
  out_.number(packed_mark);
  out_.number(std::uint32_t{0});  // known at the end
  out_.number(static_cast<std::uint8_t>(message));
}

Frame PackedWriter::take_frame() {
  std::string bytes = out_.take();
  expect(bytes.size() <= max_frame_bytes, "a frame is at most 16 MiB");
  const auto size = static_cast<std::uint32_t>(bytes.size() - packed_head_bytes);
  std::memcpy(bytes.data() + size_at, &size, sizeof size);
  return {std::move(bytes), {}};
}

void PackedWriter::payload(const std::vector<sweep::BlockTask>& tasks, std::uint32_t count) {
  expect(tasks.size() == count, "a grant brings one task for each of its blocks");
  out_.text(pack(tasks));
}

void PackedWriter::put(const sweep::Parameters& parameters) { put_all(out_, parameters); }

void PackedWriter::put(const sweep::Outcome& outcome) {
  out_.number(static_cast<std::uint8_t>(outcome.index()));
  if (const auto* failed = std::get_if<sweep::Failed>(&outcome)) {
    put(failed->kind);
    put(failed->message);
  } else if (const auto* skipped = std::get_if<sweep::Skipped>(&outcome)) {
    put(skipped->kind);
    put(skipped->reason);
  }
}

void PackedWriter::put(const sweep::Facts& facts) {
  out_.list(facts, [&](const sweep::KnownFact& known) {
    put(known.fact);
    sweep::visit_plain(known.value, [&](const auto& value) { put(value); });
  });
}

void PackedReader::payload(std::vector<sweep::BlockTask>& tasks, std::uint32_t count) {
  tasks = unpack_tasks(in_.text_view(), count);
}

void PackedReader::take(sweep::Parameters& parameters) {
  sweep::RowValues nothing;
  parameters = take_changes(in_, nothing);
}

void PackedReader::take(sweep::Outcome& outcome) {
  switch (in_.number<std::uint8_t>()) {
    case 0:
      outcome = sweep::Finished{};
      return;
    case 1: {
      auto& failed = outcome.emplace<sweep::Failed>();
      take(failed.kind);
      return take(failed.message);
    }
    case 2: {
      auto& skipped = outcome.emplace<sweep::Skipped>();
      take(skipped.kind);
      return take(skipped.reason);
    }
    case 3:
      outcome = sweep::Lost{};
      return;
    default:
      throw InputError("an arm ended in no known way");
  }
}
static_assert(std::variant_size_v<sweep::Outcome> == 4, "take reads every outcome");

void PackedReader::take(stats::Flags& flags) {
  const auto known = stats::flags_of_bits(in_.number<std::uint32_t>());
  need(known.has_value(), "flags that are not known");
  flags = *known;
}

void PackedReader::take(sweep::Facts& facts) {
  facts.clear();
  in_.list([&] {
    const auto number = in_.number<std::uint8_t>();
    for (const sweep::FactInfo& row : sweep::fact_table) {
      if (static_cast<std::uint8_t>(row.fact) != number) continue;
      sweep::FactValue value = row.zero;
      if (auto* count = std::get_if<std::int64_t>(&value))
        *count = in_.number<std::int64_t>();
      else if (auto* real = std::get_if<double>(&value))
        take(*real);
      else
        value = sweep::parse_fact(row, in_.text_view());
      return sweep::set(facts, row.fact, std::move(value));
    }
    throw InputError("a fact is unknown");
  });
}

// Other facts than those that a worker may tell are the agent's own.
void PackedReader::facts_of_worker(sweep::Facts& facts) {
  take(facts);
  for (const sweep::KnownFact& known : facts) {
    need(sweep::info(known.fact).from_worker, "it brings a fact that no worker tells");
    const auto* number = std::get_if<double>(&known.value);
    need(number == nullptr || *number >= 0, "a fact is no number of at least 0");
  }
}

void PackedReader::take(stats::Phase& phase) {
  phase = take_choice(in_, last_of<stats::Phase>(stats::phase_names));
  need(stats::has_steps(phase), "a phase is not first, warmup, reentry or steady");
}

void Layout::facts_of_worker(const sweep::Facts&) {
  text_ += "facts";
  for (const sweep::FactInfo& row : sweep::fact_table)
    text_ += fmt::format(" {}={}", static_cast<int>(row.fact), row.zero.index());
  text_ += ' ';
}

void Layout::parameters() {
  for (const sweep::ParamInfo& row : sweep::parameter_table()) text_ += fmt::format("{},", row.name);
}

std::string_view packed_body(const Frame& frame) { return std::string_view(frame.header).substr(packed_head_bytes); }

void refuse_packed(std::string_view link, std::string_view message, std::string_view why) {
  throw PeerLost(
      fmt::format("{}: a packed message {} cannot be read: {}; use processes of one build", link, message, why));
}

}  // namespace regatta::protocol
