#include "support/cuda/runtime/graphs.hpp"

#include <algorithm>

#include "support/cuda/runtime/call.hpp"
#include "support/cuda/runtime/streams.hpp"

namespace regatta::cuda_fakes {
namespace {

std::size_t choose(Machine& m, std::size_t count) {
  switch (m.settings.orders.streams) {
    case StreamOrder::early:
      return 0;
    case StreamOrder::late:
      return count - 1;
    case StreamOrder::random:
      return random_below(m, count);
  }
  return 0;
}

}  // namespace

void run_graph(Machine& m, int device, const Graph& graph) {
  std::vector<std::size_t> missing(graph.nodes.size());
  std::vector<std::vector<std::size_t>> followers(graph.nodes.size());
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    missing[i] = graph.nodes[i].after.size();
    for (const std::size_t before : graph.nodes[i].after) followers[before].push_back(i);
    if (missing[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const std::size_t at = choose(m, ready.size());
    const std::size_t chosen = ready[at];
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(at));
    if (device_of(device).sticky == cudaSuccess) perform(m, device, graph.nodes[chosen].work);
    for (const std::size_t follower : followers[chosen]) {
      if (--missing[follower] == 0) ready.push_back(follower);
    }
  }
}

void capture_work(Stream& stream, Work work) {
  auto& nodes = stream.capture->graph->nodes;
  nodes.push_back({std::move(work), stream.tips});
  stream.tips = {nodes.size() - 1};
  ++machine().counters.captured;
}

bool is_forbidden_by_capture(Machine& m, const char* call) {
  bool is_forbidden = false;
  for (const auto& stream : m.all_streams) {
    if (!stream->capture) continue;
    Capture& capture = *stream->capture;
    const bool is_here = capture.thread == std::this_thread::get_id();
    const bool forbids =
        capture.mode == cudaStreamCaptureModeGlobal || (capture.mode == cudaStreamCaptureModeThreadLocal && is_here);
    if (!forbids) continue;
    invalidate(capture, std::string(call) + " while a stream was captured");
    is_forbidden = true;
  }
  if (is_forbidden) refuse(std::string(call) + " while a stream is captured: the capture is invalid from now on");
  return is_forbidden;
}

void invalidate(Capture& capture, const std::string& why) {
  if (!capture.is_invalid) capture.why = why;
  capture.is_invalid = true;
}

cudaError_t broken(Stream& stream, cudaError_t error, const std::string& why) {
  invalidate(*stream.capture, why);
  return refused(error, why);
}

GraphNodes nodes_of(const Graph& graph) {
  GraphNodes counts{};
  std::vector<std::int64_t> depth(graph.nodes.size(), 1);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::size_t before : graph.nodes[i].after) depth[i] = std::max(depth[i], depth[before] + 1);
    counts.longest_path = std::max(counts.longest_path, depth[i]);
    ++counts.all;
    switch (graph.nodes[i].work.kind) {
      case WorkKind::kernel:
        ++counts.kernels;
        break;
      case WorkKind::product:
        ++counts.products;
        break;
      case WorkKind::convolution:
        ++counts.convolutions;
        break;
      case WorkKind::copy:
        ++counts.copies;
        break;
      case WorkKind::fill:
        ++counts.fills;
        break;
      case WorkKind::host:
      case WorkKind::empty:
        ++counts.others;
        break;
    }
  }
  return counts;
}

}  // namespace regatta::cuda_fakes
