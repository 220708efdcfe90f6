// The fake runtime's calls about captures and graphs.
#include <algorithm>

#include "support/cuda/runtime/call.hpp"
#include "support/cuda/runtime/graphs.hpp"
#include "support/cuda/runtime/streams.hpp"

namespace regatta::cuda_fakes {
namespace {

/// Handles of nodes lie behind their graph's; no graph has more.
constexpr std::uintptr_t kNodeSpan = std::uintptr_t{1} << 20;

cudaError_t no_graph() { return refused(cudaErrorInvalidValue, "no such graph, or destroyed"); }

cudaGraphNode_t node_handle(cudaGraph_t graph, std::size_t index) {
  return reinterpret_cast<cudaGraphNode_t>(reinterpret_cast<std::uintptr_t>(graph) + 1 + index);
}

std::size_t node_index(cudaGraph_t graph, cudaGraphNode_t node) {
  return reinterpret_cast<std::uintptr_t>(node) - reinterpret_cast<std::uintptr_t>(graph) - 1;
}

cudaGraph_t graph_of(cudaGraphNode_t node) {
  const auto value = reinterpret_cast<std::uintptr_t>(node);
  return reinterpret_cast<cudaGraph_t>((value - 0x1000) / kNodeSpan * kNodeSpan + 0x1000);
}

cudaError_t begin_capture(Machine& m, cudaStream_t handle, cudaStreamCaptureMode mode) {
  const auto stream = find_stream(m, handle);
  if (!stream) return refused(cudaErrorInvalidResourceHandle, "no such stream, or destroyed");
  if (is_legacy(m, *stream)) return refused(cudaErrorStreamCaptureUnsupported, "the legacy stream cannot be captured");
  if (stream->capture) return refused(cudaErrorIllegalState, "the stream is being captured");
  stream->capture = std::make_shared<Capture>();
  stream->capture->origin = stream.get();
  stream->capture->mode = mode;
  stream->tips.clear();
  return cudaSuccess;
}

/// Whether all that other streams captured comes before what the first stream did last.
bool is_joined(const Machine& m, const Stream& first) {
  const auto& nodes = first.capture->graph->nodes;
  std::vector<bool> is_before(nodes.size());
  std::vector<std::size_t> open = first.tips;
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (is_before[at]) continue;
    is_before[at] = true;
    open.insert(open.end(), nodes[at].after.begin(), nodes[at].after.end());
  }
  return std::all_of(m.all_streams.begin(), m.all_streams.end(), [&](const auto& stream) {
    return stream->capture != first.capture ||
           std::all_of(stream->tips.begin(), stream->tips.end(), [&](std::size_t tip) { return is_before[tip]; });
  });
}

cudaError_t end_capture(Machine& m, cudaStream_t handle, cudaGraph_t* graph) {
  *graph = nullptr;
  const auto stream = find_stream(m, handle);
  if (!stream) return refused(cudaErrorInvalidResourceHandle, "no such stream, or destroyed");
  if (!stream->capture) return refused(cudaErrorIllegalState, "the stream is not being captured");
  const auto capture = stream->capture;
  if (capture->origin != stream.get()) {
    return refused(cudaErrorStreamCaptureUnmatched, "the capture was begun in another stream");
  }
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id()) {
    return refused(cudaErrorStreamCaptureWrongThread, "the capture was begun by another thread");
  }
  const bool was_joined = is_joined(m, *stream);
  capture->is_ended = true;
  for (const auto& other : m.all_streams) {
    if (other->capture != capture) continue;
    other->capture = nullptr;
    other->tips.clear();
  }
  if (capture->is_invalid) {
    return refused(cudaErrorStreamCaptureInvalidated, "the capture was broken: " + capture->why);
  }
  if (!was_joined) return refused(cudaErrorStreamCaptureUnjoined, "a stream that was forked off was not joined");
  *graph = m.graphs.add<cudaGraph_t>(capture->graph, kNodeSpan);
  return cudaSuccess;
}

cudaError_t instantiate(Machine& m, cudaGraphExec_t* executable, cudaGraph_t handle) {
  const auto graph = m.graphs.find(handle);
  if (!graph) return no_graph();
  if (is_forbidden_by_capture(m, "cudaGraphInstantiate")) {
    return refused(cudaErrorStreamCaptureUnsupported, m.refusal);
  }
  auto made = std::make_shared<Executable>();
  made->graph = std::make_shared<const Graph>(*graph);
  m.nodes = nodes_of(*graph);
  ++m.counters.instantiations;
  *executable = m.executables.add<cudaGraphExec_t>(std::move(made));
  return cudaSuccess;
}

cudaGraphExecUpdateResult difference(const Node& before, const Node& now) {
  const bool is_function = before.work.kind != WorkKind::copy && before.work.kind != WorkKind::fill;
  if (before.after != now.after) return cudaGraphExecUpdateErrorTopologyChanged;
  if (before.work.kind != now.work.kind) return cudaGraphExecUpdateErrorNodeTypeChanged;
  const bool is_other_function = is_function && before.work.name != now.work.name;
  return is_other_function ? cudaGraphExecUpdateErrorFunctionChanged : cudaGraphExecUpdateSuccess;
}

/// Updates the work and operands of nodes; their kinds and edges may not change.
cudaError_t update(Machine& m, cudaGraphExec_t handle, cudaGraph_t from, cudaGraphExecUpdateResultInfo* info) {
  const auto executable = m.executables.find(handle);
  const auto graph = m.graphs.find(from);
  if (!executable || !graph) return no_graph();
  const auto& old_nodes = executable->graph->nodes;
  const auto& new_nodes = graph->nodes;
  *info = {};
  info->result = cudaGraphExecUpdateSuccess;
  if (old_nodes.size() != new_nodes.size()) info->result = cudaGraphExecUpdateErrorTopologyChanged;
  for (std::size_t i = 0; i < std::min(old_nodes.size(), new_nodes.size()); ++i) {
    if (info->result != cudaGraphExecUpdateSuccess) break;
    info->result = difference(old_nodes[i], new_nodes[i]);
    if (info->result != cudaGraphExecUpdateSuccess) info->errorNode = node_handle(from, i);
  }
  if (info->result != cudaGraphExecUpdateSuccess) {
    return refused(cudaErrorGraphExecUpdateFailure, "the graphs differ in more than arguments");
  }
  executable->graph = std::make_shared<const Graph>(*graph);
  return cudaSuccess;
}

cudaError_t launch_graph(Machine& m, cudaGraphExec_t handle, cudaStream_t in) {
  const auto executable = m.executables.find(handle);
  const auto stream = find_stream(m, in);
  if (!executable) return refused(cudaErrorInvalidValue, "no such executable graph, or destroyed");
  if (!stream) return refused(cudaErrorInvalidResourceHandle, "no such stream, or destroyed");
  if (stream->capture) {
    return broken(*stream, cudaErrorStreamCaptureUnsupported, "the fake knows no graphs in graphs");
  }
  if (is_legacy(m, *stream)) {
    complain("cudaGraphLaunch into the legacy default stream");
    return device_of(stream->device).sticky;
  }
  ++m.counters.graph_launches;
  Item item;
  item.work.name = "cudaGraphLaunch";
  item.graph = executable->graph;
  issue(m, stream, std::move(item));
  return cudaSuccess;
}

cudaGraphNodeType type_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::kernel:
    case WorkKind::product:
    case WorkKind::convolution:
      return cudaGraphNodeTypeKernel;
    case WorkKind::copy:
      return cudaGraphNodeTypeMemcpy;
    case WorkKind::fill:
      return cudaGraphNodeTypeMemset;
    case WorkKind::host:
      return cudaGraphNodeTypeHost;
    case WorkKind::empty:
      return cudaGraphNodeTypeEmpty;
  }
  return cudaGraphNodeTypeEmpty;
}

cudaError_t edges(Machine& m, cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to, std::size_t* count) {
  const auto graph = m.graphs.find(handle);
  if (!graph) return no_graph();
  const std::size_t room = from ? *count : 0;
  *count = 0;
  for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
    for (const std::size_t before : graph->nodes[i].after) {
      if (*count < room) {
        from[*count] = node_handle(handle, before);
        to[*count] = node_handle(handle, i);
      }
      ++*count;
    }
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace regatta::cuda_fakes

using namespace regatta::cuda_fakes;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call(__func__, Needs::device, [&](Machine& m) { return begin_capture(m, stream, mode); });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call(__func__, Needs::device, [&](Machine& m) { return end_capture(m, stream, graph); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call(__func__, Needs::device, [&](Machine& m) {
    const auto stream = find_stream(m, handle);
    if (!stream) return refused(cudaErrorInvalidResourceHandle, "no such stream, or destroyed");
    *status = !stream->capture              ? cudaStreamCaptureStatusNone
              : stream->capture->is_invalid ? cudaStreamCaptureStatusInvalidated
                                            : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned /*flags*/) {
  return call(__func__, Needs::device, [&](Machine& m) {
    *graph = m.graphs.add<cudaGraph_t>(std::make_shared<Graph>(), kNodeSpan);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* after,
                                  size_t count) {
  return call(__func__, Needs::device, [&](Machine& m) {
    const auto graph = m.graphs.find(handle);
    if (!graph) return no_graph();
    Node made{Work{"an empty node", WorkKind::empty}, {}};
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t index = node_index(handle, after[i]);
      if (index >= graph->nodes.size()) return refused(cudaErrorInvalidValue, "a node of another graph");
      made.after.push_back(index);
    }
    graph->nodes.push_back(std::move(made));
    *node = node_handle(handle, graph->nodes.size() - 1);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return call(__func__, Needs::device, [&](Machine& m) {
    const auto graph = m.graphs.find(handle);
    if (!graph) return no_graph();
    const std::size_t all = graph->nodes.size();
    for (std::size_t i = 0; nodes && i < std::min(all, *count); ++i) nodes[i] = node_handle(handle, i);
    *count = nodes ? std::min(all, *count) : all;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* /*data*/, size_t* count) {
  return call(__func__, Needs::device, [&](Machine& m) { return edges(m, graph, from, to, count); });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return call(__func__, Needs::device, [&](Machine& m) {
    const cudaGraph_t handle = graph_of(node);
    const auto graph = m.graphs.find(handle);
    if (!graph || node_index(handle, node) >= graph->nodes.size()) return no_graph();
    *type = type_of(graph->nodes[node_index(handle, node)].work.kind);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call(__func__, Needs::device, [&](Machine& m) { return m.graphs.remove(graph) ? cudaSuccess : no_graph(); });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long /*flags*/) {
  return call(__func__, Needs::device, [&](Machine& m) { return instantiate(m, executable, graph); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  return call(__func__, Needs::device, [&](Machine& m) {
    return m.executables.find(executable) && find_stream(m, stream) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
  return call(__func__, Needs::device, [&](Machine& m) { return update(m, executable, graph, info); });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return call(__func__, Needs::device, [&](Machine& m) { return launch_graph(m, executable, stream); });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return call(__func__, Needs::device,
              [&](Machine& m) { return m.executables.remove(executable) ? cudaSuccess : no_graph(); });
}

}  // extern "C"
