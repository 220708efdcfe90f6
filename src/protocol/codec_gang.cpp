// The links between the agents of a gang.
#include "protocol/packed.hpp"
#include "regatta/protocol/codec.hpp"

namespace regatta::protocol {

template <class Io>
void fields(Io& io, Of<Io, GangPlace>& m) {
  io("block", m.block);
  io("attempt", m.attempt);
  io("arm", m.arm);
}
template <class Io>
void fields(Io& io, Of<Io, GangPrepare>& m) {
  io("place", m.place);
  io("fresh", m.fresh);
}
template <class Io>
void fields(Io& io, Of<Io, GangJoin>& m) {
  io("place", m.place);
  io("members", m.members);
  io("stop", m.stop);
  io("hosts", m.hosts);
  io("join", m.join);
}
template <class Io>
void fields(Io& io, Of<Io, GangSlice>& m) {
  io("place", m.place);
  order_fields(io, m.order);
}
template <class Io>
void fields(Io& io, Of<Io, GangCheck>& m) {
  io("place", m.place);
  io("steps", m.steps);
  io.if_any("as", m.as);
}
template <class Io>
void fields(Io& io, Of<Io, GangTrain>& m) {
  io("place", m.place);
  io("checkpoint_path", m.checkpoint_path);
  io.if_any("checkpoint_hash", m.checkpoint_hash);
}
template <class Io>
void fields(Io& io, Of<Io, GangPause>& m) {
  io("place", m.place);
  io("stopped", m.stopped);
}
template <class Io>
void fields(Io& io, Of<Io, GangRelease>& m) {
  io("place", m.place);
  io("evicts", m.evicts);
}
template <class Io>
void fields(Io& io, Of<Io, GangRun>& m) {
  io("place", m.place);
  io("variables", m.variables);
}
template <class Io>
void fields(Io& io, Of<Io, GangStop>& m) {
  io("place", m.place);
}
template <class Io>
void fields(Io& io, Of<Io, GangEnd>& m) {
  io("place", m.place);
}
template <class Io>
void fields(Io& io, Of<Io, GangDone>& m) {
  io("place", m.place);
  io("host", m.host);
  io("member", m.member);
  io("peak_bytes", m.memory.peak_bytes);
  io("resident_bytes", m.memory.resident_bytes);
  io("warm_bytes", m.memory.warm_bytes);
  io("losses", m.losses);
  io.payload(m.samples);
  io.if_any("arithmetic", m.arithmetic);
  io.if_any("host_name", m.host_name);
  io.if_any("address", m.address);
  io.if_any("cpus", m.cpus);
  io.if_any("visible_device", m.visible_device);
  io("seconds", m.seconds);
}
template <class Io>
void fields(Io& io, Of<Io, GangFailed>& m) {
  io("place", m.place);
  io("seconds", m.seconds);
  io("died", m.died);
  io("kind", m.kind);
  io("skips", m.skips);
  io("skip", m.skip);
  io("gave_up", m.gave_up);
  io("told", m.told);
  io("message", m.message);
}

Frame to_packed(const GangMessage& message) { return write_packed(message); }
GangMessage parse_gang_message(const Frame& frame) { return read_any<GangMessage>(frame, "message of a gang"); }

}  // namespace regatta::protocol
