#include "gpu/contract/contract.hpp"

namespace regatta::gpu_contract {
namespace {

constexpr std::size_t kSomeFloats = 256;

/// The first stream's work as a graph; gone with it.
class Captured {
 public:
  template <class Issue>
  Captured(const Streams& streams, Issue issue) {
    cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeThreadLocal);
    issue();
    cudaStreamEndCapture(streams.first, &graph);
  }
  ~Captured() {
    if (executable) cudaGraphExecDestroy(executable);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  cudaError_t instantiate() { return cudaGraphInstantiate(&executable, graph, 0); }

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
};

std::string kinds_of_nodes(Details& /*details*/) {
  const Streams streams;
  const DeviceFloats one(kSomeFloats);
  const DeviceFloats two(kSomeFloats);
  const Captured captured(streams, [&] {
    cudaMemsetAsync(one.data, 0, kSomeFloats * sizeof(float), streams.first);
    cudaMemcpyAsync(two.data, one.data, kSomeFloats * sizeof(float), cudaMemcpyDeviceToDevice, streams.first);
  });
  std::size_t nodes = 2;
  cudaGraphNode_t handles[2] = {};
  cudaGraphGetNodes(captured.graph, handles, &nodes);
  std::string answer;
  for (std::size_t i = 0; i < nodes; ++i) {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    cudaGraphNodeGetType(handles[i], &type);
    answer += type == cudaGraphNodeTypeMemset ? "fill " : type == cudaGraphNodeTypeMemcpy ? "copy " : "other ";
  }
  std::size_t edges = 0;
  cudaGraphGetEdges(captured.graph, nullptr, nullptr, nullptr, &edges);
  return answer + std::to_string(edges);
}

std::string forks(Details& /*details*/) {
  const Streams streams;
  const DeviceFloats device(3);
  cudaEvent_t join = nullptr;
  cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  std::string answer;
  {
    const Captured captured(streams, [&] {
      cudaMemsetAsync(device.data, 0, 4, streams.first);
      cudaEventRecord(streams.event, streams.first);
      cudaStreamWaitEvent(streams.second, streams.event, 0);
      cudaMemsetAsync(device.data + 1, 0, 4, streams.second);
      cudaMemsetAsync(device.data + 2, 0, 4, streams.first);
      cudaEventRecord(join, streams.second);
      cudaStreamWaitEvent(streams.first, join, 0);
      cudaMemsetAsync(device.data, 0, 4, streams.first);
    });
    std::size_t nodes = 0;
    std::size_t edges = 0;
    cudaGraphGetNodes(captured.graph, nullptr, &nodes);
    cudaGraphGetEdges(captured.graph, nullptr, nullptr, nullptr, &edges);
    answer = std::to_string(nodes) + " nodes, " + std::to_string(edges) + " edges";
  }
  cudaEventDestroy(join);
  return answer;
}

/// A graph reads pinned memory when it runs, each time anew.
std::string launches(Details& /*details*/) {
  const Streams streams;
  const PinnedFloats host(1);
  const DeviceFloats device(1);
  Captured captured(streams,
                    [&] { cudaMemcpyAsync(device.data, host.data, 4, cudaMemcpyHostToDevice, streams.first); });
  if (captured.instantiate() != cudaSuccess) return "not instantiated";
  std::string answer;
  for (const float value : {3.0F, 4.0F}) {
    *host.data = value;
    cudaGraphLaunch(captured.executable, streams.first);
    cudaStreamSynchronize(streams.first);
    answer += std::to_string(static_cast<int>(device.read()[0])) + ' ';
  }
  return answer;
}

std::string outlives_its_graph(Details& /*details*/) {
  const Streams streams;
  DeviceFloats device(1);
  device.write({1});
  Captured captured(streams, [&] { cudaMemsetAsync(device.data, 0, 4, streams.first); });
  captured.instantiate();
  cudaGraphDestroy(captured.graph);
  captured.graph = nullptr;
  const std::string answer = text(cudaGraphLaunch(captured.executable, streams.first));
  return answer + ' ' + std::to_string(static_cast<int>(device.read()[0]));
}

cudaError_t update(const Captured& from, const Captured& to, Details& details) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t error = cudaGraphExecUpdate(to.executable, from.graph, &info);
  details["result of the update"] = std::to_string(info.result);
  cudaGetLastError();
  return error;
}

std::string updated(Details& details) {
  const Streams streams;
  DeviceFloats device(2);
  device.write({1, 1});
  Captured first(streams, [&] { cudaMemsetAsync(device.data, 0, 4, streams.first); });
  const Captured second(streams, [&] { cudaMemsetAsync(device.data + 1, 0, 4, streams.first); });
  first.instantiate();
  const std::string answer = text(update(second, first, details));
  cudaGraphLaunch(first.executable, streams.first);
  const auto values = device.read();
  return answer + ' ' + std::to_string(static_cast<int>(values[0])) + ' ' + std::to_string(static_cast<int>(values[1]));
}

std::string updated_to_another_kind(Details& details) {
  const Streams streams;
  const DeviceFloats one(1);
  const DeviceFloats two(1);
  Captured first(streams, [&] { cudaMemsetAsync(one.data, 0, 4, streams.first); });
  const Captured second(streams, [&] {
    cudaMemcpyAsync(two.data, one.data, 4, cudaMemcpyDeviceToDevice, streams.first);
    cudaMemsetAsync(one.data, 0, 4, streams.first);
  });
  first.instantiate();
  return text(update(second, first, details));
}

std::string empty_nodes(Details& /*details*/) {
  const Streams streams;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t before = nullptr;
  for (int i = 0; i < 20; ++i) {
    cudaGraphNode_t node = nullptr;
    cudaGraphAddEmptyNode(&node, graph, i == 0 ? nullptr : &before, i == 0 ? 0 : 1);
    before = node;
  }
  std::string answer = text(cudaGraphInstantiate(&executable, graph, 0));
  answer += ' ' + text(cudaGraphLaunch(executable, streams.first));
  answer += ' ' + text(cudaStreamSynchronize(streams.first));
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  return answer;
}

std::string no_nodes(Details& /*details*/) {
  const Streams streams;
  Captured captured(streams, [] {});
  std::string answer = text(captured.instantiate());
  return answer + ' ' + text(cudaGraphLaunch(captured.executable, streams.first));
}

}  // namespace

std::vector<Case> graph_cases() {
  return {
      {"graph: kinds of nodes", "fill copy 1", kinds_of_nodes},
      {"graph: forks", "4 nodes, 4 edges", forks},
      {"graph: launched twice", "3 4 ", launches},
      {"graph: outlives what it was made of", "cudaSuccess 0", outlives_its_graph},
      {"graph: takes other arguments", "cudaSuccess 1 0", updated},
      {"graph: takes no other nodes", "cudaErrorGraphExecUpdateFailure", updated_to_another_kind},
      {"graph: of empty nodes", "cudaSuccess cudaSuccess cudaSuccess", empty_nodes},
      {"graph: of nothing", "cudaSuccess cudaSuccess", no_nodes},
  };
}

}  // namespace regatta::gpu_contract
