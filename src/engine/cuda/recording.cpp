#include "engine/cuda/recording.hpp"

#include <algorithm>

#include "engine/cuda/kernels/empty.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr std::size_t kKept = 4;  // graphs: two places of a batch, and those of another session's

}  // namespace

Graph capture(cudaStream_t stream, const std::function<void()>& issue) {
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    issue();
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(stream, &graph));
    const Graph unfinished(graph);
    static_cast<void>(cudaGetLastError());  // the end of the capture is no error of the next call
    throw;
  }
  const cudaError_t error = cudaStreamEndCapture(stream, &graph);
  Graph captured(graph);
  require(error, "cudaStreamEndCapture");
  return captured;
}

std::size_t node_count(cudaGraph_t graph) {
  std::size_t count = 0;
  require(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
  return count;
}

GraphRecording::GraphRecording(std::span<const Call> calls, bool is_emptied)
    : calls_(calls.begin(), calls.end()), is_emptied_(is_emptied) {
  captured_.reserve(kKept + 1);
}

void GraphRecording::set_operand(std::size_t index, int operand, void* memory) {
  const auto at = static_cast<std::size_t>(operand);
  calls_.at(index).operands.at(at) = memory;
  current_ = nullptr;
  const auto known = std::ranges::find_if(fed_, [&](const Fed& fed) { return fed.call == index && fed.operand == at; });
  if (known != fed_.end()) {
    known->memory = memory;
  } else {
    fed_.push_back({index, at, memory});
  }
}

bool GraphRecording::holds(const Captured& captured) const {
  return std::ranges::equal(captured.fed, fed_, {}, {}, &Fed::memory);
}

Graph GraphRecording::capture_calls(const Issuer& issuer) const {
  Graph graph = capture(issuer.target().stream, [&] { issuer.issue(calls_); });
  if (!is_emptied_) return graph;
  return capture(issuer.target().stream, [&, count = node_count(graph.get())] {
    for (std::size_t i = 0; i < count; ++i) issue_empty(issuer.target());
  });
}

GraphRecording::Found GraphRecording::find(const Issuer& issuer) const {
  const auto known = std::ranges::find_if(captured_, [&](const Captured& captured) { return holds(captured); });
  if (known != captured_.end()) return {known->graph.get()};
  if (captured_.size() == kKept) {
    require(cudaStreamSynchronize(issuer.target().stream), "cudaStreamSynchronize");  // it may be running
    captured_.erase(captured_.begin());
  }
  const double begin_seconds = steady_seconds();
  const Graph graph = capture_calls(issuer);
  cudaGraphExec_t made = nullptr;
  require(cudaGraphInstantiate(&made, graph.get(), 0), "cudaGraphInstantiate");
  const double made_seconds = steady_seconds() - begin_seconds;
  captured_.push_back({{}, GraphExec(made)});
  for (const Fed& fed : fed_) captured_.back().fed.push_back(fed.memory);
  return {made, made_seconds};
}

double GraphRecording::launch(const Issuer& issuer) const {
  double made_seconds = 0;
  if (current_ == nullptr) {
    const Found found = find(issuer);
    current_ = found.graph;
    made_seconds = found.made_seconds;
  }
  require(cudaGraphLaunch(current_, issuer.target().stream), "cudaGraphLaunch");
  return made_seconds;
}

}  // namespace regatta::engine::cuda
