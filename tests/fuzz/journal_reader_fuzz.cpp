// Any bytes as a journal: as they are, and as the payload of a record of each kind whose checksum is right. Results, or
// an InputError; never anything else (CONTRIBUTING.md).
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "regatta/base/error.hpp"
#include "results/journal/frames.hpp"
#include "results/journal/journal.hpp"
#include "results/journal/record_codec.hpp"
#include "results/journal/session_plan.hpp"

namespace {

using namespace regatta;
using namespace regatta::results;

void parse(const Record& record) {
  switch (record.kind) {
    case RecordKind::header:
      return static_cast<void>(parse_header(record));
    case RecordKind::plan:
      return static_cast<void>(parse_plan(record));
    case RecordKind::agent:
      return static_cast<void>(parse_agent(record));
    case RecordKind::result:
      return static_cast<void>(parse_result(record));
    case RecordKind::failed_attempt:
      return static_cast<void>(parse_failed_attempt(record));
    case RecordKind::session_end:
      return static_cast<void>(parse_session_end(record));
    case RecordKind::granted:
      return static_cast<void>(parse_granted(record));
    case RecordKind::plan_again:
      return static_cast<void>(whole_plan({}, record));
    case RecordKind::orchestration:
      return static_cast<void>(parse_orchestration(record));
    case RecordKind::plan_copy:
      return static_cast<void>(parse_plan_copy(record));
    default:
      return;
  }
}

void parse_or_refuse(const Record& record) {
  try {
    parse(record);
  } catch (const InputError&) {  // a lie ends so
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Scan scan = pieces_of(bytes);
  if (scan.valid_bytes > size) std::abort();
  for (const Record& record : scan.records) parse_or_refuse(record);
  if (size == 0) return 0;
  const auto kind = static_cast<RecordKind>(data[0] % static_cast<unsigned>(RecordKind::other));
  const Record forged{kind, {}, 1, std::string(bytes.substr(1))};
  parse_or_refuse(forged);
  const Scan again = pieces_of(frame_of(forged, 0));  // a written record is read again
  const bool is_consumed = kind == RecordKind::durable || kind == RecordKind::opening;
  if (again.records.size() != (is_consumed ? 0U : 1U) || (!is_consumed && again.records[0].payload != forged.payload))
    std::abort();
  return 0;
}
