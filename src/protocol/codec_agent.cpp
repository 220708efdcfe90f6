// The link between the coordinator and the agents.
#include "protocol/packed.hpp"
#include "regatta/protocol/codec.hpp"

namespace regatta::protocol {

template <class Io>
void fields(Io& io, Of<Io, DroppedArm>& m) {
  io("arm", m.arm);
  io("kind", m.kind);
  io("message", m.message);
}
template <class Io>
void fields(Io& io, Of<Io, TourGrant>& m) {
  io("number", m.number);
  io("to_come", m.to_come);
}
template <class Io>
void fields(Io& io, Of<Io, Grant>& m) {
  io("first", m.first);
  io("count", m.count);
  io("attempt", m.attempt);
  io("dropped", m.dropped);
  io.if_any("gang", m.gang);
  io.if_any("without_device", m.without_device);
  io.if_any("tour", m.tour);
  io.payload(m.tasks, m.count);
}
template <class Io>
void fields(Io& io, Of<Io, Acknowledge>& m) {
  io("block", m.block);
  io("attempt", m.attempt);
}
template <class Io>
void fields(Io&, Of<Io, Finish>&) {}

template <class Io>
void fields(Io& io, Of<Io, sweep::SlotDevice>& m) {
  io("kind", m.kind);
  io("name", m.name);
  io("uuid", m.uuid);
  io("index", m.index);
}
template <class Io>
void fields(Io& io, Of<Io, AgentReady>& m) {
  io.json_text("host", m.host_json);
  io("cpus", m.slot.cores);
  io.if_any("device", m.slot.device);
  io("flags", m.flags);
  io("memory_domain", m.memory_domain);
}
template <class Io>
void fields(Io& io, Of<Io, sweep::ArmOutcome>& m) {
  io("arm", m.arm);
  io("outcome", m.outcome);
  io("environment", m.environment);
  io("verified", m.verified);
  io("facts", m.facts);
  io.if_any("learned", m.learned);
}
template <class Io>
void fields(Io& io, Of<Io, sweep::DeviceReadings>& m) {
  io("before", m.before);
  io("after", m.after);
}
template <class Io>
void fields(Io& io, Of<Io, BlockResult>& m) {
  io("block", m.block);
  io("attempt", m.attempt);
  io("start_wall_seconds", m.start_wall_seconds);
  io("end_wall_seconds", m.end_wall_seconds);
  io("arms", m.arms);
  io("flags", m.flags);
  io("calibration", m.calibration_json);
  io("undecided", m.undecided);
  io.if_set("interrupted", m.interrupted);
  io.if_any("device", m.device);
  io.if_set("goes_on", m.goes_on);
  io("visits_seconds", m.visits_seconds);
  io.payload(m.samples);
}
template <class Io>
void fields(Io& io, Of<Io, AttemptFailed>& m) {
  io("block", m.block);
  io("attempt", m.attempt);
  io("arm", m.arm);
  io("kind", m.kind);
  io("message", m.message);
}
template <class Io>
void fields(Io& io, Of<Io, BlockStand>& m) {
  io("block", m.block);
  io("attempt", m.attempt);
  io("arms", m.arms);
  io("prepared", m.prepared);
  io("piloted", m.piloted);
  io("pair", m.pair);
  io("pairs", m.pairs);
  io.if_set("starts", m.starts);
  io("squares", m.squares);
  io("left_seconds", m.left_seconds);
}
template <class Io>
void fields(Io& io, Of<Io, GivenBack>& m) {
  io("blocks", m.blocks);
}
template <class Io>
void fields(Io& io, Of<Io, DeviceLost>& m) {
  io("kind", m.kind);
  io("reason", m.reason);
  io("blocks", m.blocks);
}

Frame to_frame(const AgentRequest& message) { return write_frame(message); }
Frame to_packed(const AgentRequest& message) { return write_packed(message); }
Frame to_frame(const AgentReply& message) { return write_frame(message); }
Frame to_packed(const AgentReply& message) { return write_packed(message); }
AgentRequest parse_agent_request(const Frame& frame) { return read_any<AgentRequest>(frame, "agent request"); }
AgentReply parse_agent_reply(const Frame& frame) { return read_any<AgentReply>(frame, "agent reply"); }

}  // namespace regatta::protocol
