// The link between an agent and its spawner.
#include "protocol/packed.hpp"
#include "regatta/protocol/codec.hpp"

namespace regatta::protocol {

template <class Io>
void fields(Io& io, Of<Io, SpawnWorker>& m) {
  io("worker", m.worker);
  io("argv", m.argv);
  io("variables", m.variables);
  io("cpus", m.cpus);
  io("log_path", m.log_path);
  io("memory_bytes", m.memory_bytes);
}
template <class Io>
void fields(Io& io, Of<Io, RunProgram>& m) {
  io("worker", m.worker);
  io("argv", m.argv);
  io("variables", m.variables);
  io("cpus", m.cpus);
  io("log_path", m.log_path);
  io("memory_bytes", m.memory_bytes);
  io("folder", m.folder);
  io("output_path", m.output_path);
}
template <class Io>
void fields(Io& io, Of<Io, Kill>& m) {
  io("worker", m.worker);
}
template <class Io>
void fields(Io& io, Of<Io, EndProgram>& m) {
  io("worker", m.worker);
  io("patience_seconds", m.patience_seconds);
}
template <class Io>
void fields(Io& io, Of<Io, Pause>& m) {
  io("worker", m.worker);
  io("stopped", m.stopped);
}

template <class Io>
void fields(Io& io, Of<Io, Spawned>& m) {
  io("worker", m.worker);
  io("pid", m.pid);
}
template <class Io>
void fields(Io& io, Of<Io, SpawnFailed>& m) {
  io("worker", m.worker);
  io("message", m.message);
}
template <class Io>
void fields(Io& io, Of<Io, Exited>& m) {
  io("worker", m.worker);
  io("wait_status", m.wait_status);
  io("start_seconds", m.start_seconds);
  io("seconds", m.seconds);
  io("peak_bytes", m.peak_bytes);
  io("flooded", m.flooded);
  io("error_bytes", m.error_bytes);
  io("printed_bytes", m.printed_bytes);
  io("complained_bytes", m.complained_bytes);
  io("lost_told", m.lost_told);
  io.payload(m.output);
}

Frame to_frame(const SpawnerRequest& message) { return write_frame(message); }
Frame to_packed(const SpawnerRequest& message) { return write_packed(message); }
Frame to_frame(const SpawnerReply& message) { return write_frame(message); }
Frame to_packed(const SpawnerReply& message) { return write_packed(message); }
SpawnerRequest parse_spawner_request(const Frame& frame) { return read_any<SpawnerRequest>(frame, "spawner request"); }
SpawnerReply parse_spawner_reply(const Frame& frame) { return read_any<SpawnerReply>(frame, "spawner reply"); }

}  // namespace regatta::protocol
