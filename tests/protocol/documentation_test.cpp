// docs/reference/worker-protocol.md is written for people who add engines: what it shows is what the codec speaks.
#include <gmock/gmock.h>

#include <regex>
#include <set>
#include <sstream>

#include "protocol/messages.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "support/places.hpp"

namespace regatta::protocol {
namespace {

std::vector<std::string> documented_lines() {
  std::istringstream page(read_file(support::source_folder() + "/docs/reference/worker-protocol.md"));
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = line == "```json";
    } else if (inside) {
      lines.push_back(line);
    }
  }
  return lines;
}

// The bytes that a documented header announces: tasks, samples, or a program's output.
Frame frame_of(const std::string& line) {
  const std::size_t at = line.find(",\"bytes\":");
  if (at == std::string::npos) return {line, ""};
  const std::size_t bytes = std::stoul(line.substr(at + 9));
  const std::string header = line.substr(0, at) + "}";
  if (header.starts_with(R"({"type":"grant")"))
    return {header, to_frame(AgentRequest(Grant{{4}, 1, {2}, {}, {}, {}, testing::some_tasks(1)})).payload};
  if (bytes % sizeof(stats::Sample) != 0) return {header, std::string(bytes, 'x')};
  const std::vector<stats::Sample> samples(bytes / sizeof(stats::Sample));
  return {header, to_frame(WorkerReply(Samples{{0}, true, samples})).payload};
}

/// The frame of the one message that the codec reads from this one, on whichever link.
std::vector<Frame> read_again(const Frame& frame) {
  std::vector<Frame> read;
  const auto attempt = [&](auto parse) {
    try {
      read.push_back(to_frame(parse(frame)));
    } catch (const PeerLost&) {
      // a message of another link
    }
  };
  attempt(parse_worker_request);
  attempt(parse_worker_reply);
  attempt(parse_spawner_request);
  attempt(parse_spawner_reply);
  attempt(parse_agent_request);
  attempt(parse_agent_reply);
  return read;
}

/// Parameters that nothing reads are null: the page leaves most of them out.
std::string without_nulls(const std::string& header) {
  static const std::regex null(R"("[a-z_]+":null,|,"[a-z_]+":null)");
  return header.starts_with(R"({"type":"prepare")") ? std::regex_replace(header, null, "") : header;
}

std::string type_in(const std::string& header) {
  const std::string start = "{\"type\":\"";
  return header.substr(start.size(), header.find('"', start.size()) - start.size());
}

TEST(Documentation, EveryExampleIsAMessageWithAllItsFields) {
  for (const std::string& line : documented_lines()) {
    const Frame frame = frame_of(line);
    const std::vector<Frame> read = read_again(frame);
    ASSERT_EQ(read.size(), 1U) << line;
    EXPECT_EQ(without_nulls(read.front().header), without_nulls(frame.header));
    std::string on_the_wire = encode(read.front());
    EXPECT_EQ(without_nulls(on_the_wire.substr(0, on_the_wire.find('\n'))), without_nulls(line));
  }
}

TEST(Documentation, EveryMessageHasAnExample) {
  std::set<std::string> documented;
  for (const std::string& line : documented_lines()) documented.insert(type_in(line));
  std::set<std::string> known;
  for (const Frame& frame : testing::all_frames(testing::Form::json)) known.insert(type_in(frame.header));
  EXPECT_EQ(documented, known);
}

}  // namespace
}  // namespace regatta::protocol
