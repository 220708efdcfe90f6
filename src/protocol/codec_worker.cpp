// The link between an agent and its workers.
#include "protocol/packed.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/protocol/codec.hpp"

namespace regatta::protocol {

template <class Io>
void fields(Io& io, Of<Io, Hello>& m) {
  io("version", m.version);
}
template <class Io>
void fields(Io& io, Of<Io, Prepare>& m) {
  io("arm", m.arm);
  io("parameters", m.parameters);
  io.json_text("model", m.model);
  io("weights_path", m.weights_path);
  io("batches_path", m.batches_path);
  io.if_any("intervention", m.intervention);
  io.if_any("rank", m.rank);
}
template <class Io>
void fields(Io& io, Of<Io, Join>& m) {
  io("arm", m.arm);
  io("members", m.members);
  io("stop", m.stop);
  io("patience_seconds", m.patience_seconds);
}
template <class Io>
void fields(Io& io, Of<Io, Joined>& m) {
  io("arm", m.arm);
}
template <class Io>
void fields(Io& io, Of<Io, Check>& m) {
  io("arm", m.arm);
  io("steps", m.steps);
  io.if_set("evidence", m.evidence);
  io.if_any("as", m.as);
}
template <class Io>
void fields(Io& io, Of<Io, Slice>& m) {
  io("arm", m.arm);
  order_fields(io, m.order);
}
template <class Io>
void fields(Io& io, Of<Io, Train>& m) {
  io("arm", m.arm);
  io("from", m.from);
  io("to", m.to);
  io.if_set("tests", m.tests);
  io("data_path", m.data_path);
  io("checkpoint_path", m.checkpoint_path);
  io.if_any("epochs", m.epochs);
  io.if_any("steps", m.steps);
  io("evaluations", m.evaluations);
  io("validation", m.validation);
  io.if_any("patience", m.patience);
  io("min_delta", m.min_delta);
  io("metric", m.metric);
  io("maximizes", m.maximizes);
}
template <class Io>
void fields(Io& io, Of<Io, Release>& m) {
  io("arm", m.arm);
}
template <class Io>
void fields(Io&, Of<Io, Stop>&) {}

template <class Io>
void fields(Io& io, Of<Io, Ready>& m) {
  io("version", m.version);
  io("engine", m.engine);
  io("engine_version", m.engine_version);
  io("modes", m.modes);
  io("devices", m.devices);
  io("details", m.details);
  io.if_any("interventions", m.interventions);
  io.if_set("answers_together", m.answers_together);
  io.if_any("packed", m.packed);
}
template <class Io>
void fields(Io& io, Of<Io, DeviceMemory>& m) {
  io("held", m.held);
  io("limit", m.limit);
}
template <class Io>
void fields(Io& io, Of<Io, Prepared>& m) {
  io("arm", m.arm);
  io("seconds", m.seconds);
  io("peak_bytes", m.peak_bytes);
  io("eager_ops", m.eager_ops);
  io.facts_of_worker(m.facts);
  io.if_any("device_memory", m.device_memory);
  io.if_any("start_seconds", m.start_seconds);
  io.if_any("member", m.member);
  io.if_any("arithmetic", m.arithmetic);
}
template <class Io>
void fields(Io& io, Of<Io, Evidence>& m) {
  io("gradients", m.gradients);
  io("updates", m.updates);
  io("resolution", m.resolution);
  io("probe", m.probe);
}
template <class Io>
void fields(Io& io, Of<Io, OwnWeights>& m) {
  io("count", m.count);
  io("norm", m.norm);
}
template <class Io>
void fields(Io& io, Of<Io, Checked>& m) {
  io("arm", m.arm);
  io("losses", m.losses);
  io.if_any("evidence", m.evidence);
  io.if_any("parameter_hash", m.parameter_hash);
  io.if_any("number_type", m.number_type);
  io.if_any("own_weights", m.own_weights);
}
template <class Io>
void fields(Io& io, Of<Io, Samples>& m) {
  io("arm", m.arm);
  io("last", m.last);
  io.facts_of_worker(m.facts);
  io.payload(m.samples);
}
template <class Io>
void fields(Io& io, Of<Io, Progress>& m) {
  io("arm", m.arm);
  io("learned", m.learned);
}
template <class Io>
void fields(Io& io, Of<Io, Trained>& m) {
  io("arm", m.arm);
  io("learned", m.learned);
}
template <class Io>
void fields(Io& io, Of<Io, Released>& m) {
  io("arm", m.arm);
}
template <class Io>
void fields(Io& io, Of<Io, Error>& m) {
  io("arm", m.arm);
  io("kind", m.kind);
  io("message", m.message);
  io("final", m.final);
}

Frame to_frame(const WorkerRequest& message) { return write_frame(message); }
Frame to_packed(const WorkerRequest& message) { return write_packed(message); }
Frame to_frame(const WorkerReply& message) { return write_frame(message); }
Frame to_packed(const WorkerReply& message) { return write_packed(message); }
WorkerRequest parse_worker_request(const Frame& frame) { return read_any<WorkerRequest>(frame, "worker request"); }
WorkerReply parse_worker_reply(const Frame& frame) { return read_any<WorkerReply>(frame, "worker reply"); }

const std::string& packed_layout() {
  static const std::string known = [] {
    Layout layout;
    layout.link(std::type_identity<WorkerRequest>());
    layout.link(std::type_identity<WorkerReply>());
    return to_string(hash128(layout.text()));
  }();
  return known;
}

}  // namespace regatta::protocol
