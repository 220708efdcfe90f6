#include "support/cuda/cudnn/answers.hpp"

#include <algorithm>
#include <cstring>

#include "support/cuda/cudnn/engines.hpp"

namespace regatta::cuda_fakes::cudnn {

namespace {

template <class T>
Answer tell_values(const Question& question, cudnnBackendAttributeType_t type, const std::vector<T>& values) {
  if (question.type != type) return {CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "the attribute has another type"};
  *question.count = static_cast<std::int64_t>(values.size());
  const auto told = static_cast<std::size_t>(std::min(question.room, *question.count));
  if (told > 0) std::memcpy(question.values, values.data(), told * sizeof(T));
  return {};
}

/// Makes descriptors that the caller created like these.
Answer tell_descriptors(const Question& question, const std::vector<Descriptor>& values) {
  if (question.type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    return {CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, "the attribute holds descriptors"};
  }
  *question.count = static_cast<std::int64_t>(values.size());
  const std::size_t told = std::min(question.made.size(), values.size());
  for (std::size_t i = 0; i < told; ++i) {
    if (question.made[i]->type != values[i].type) {
      return {CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE, "a descriptor to be filled has another type"};
    }
    if (question.made[i]->is_finalized) return {CUDNN_STATUS_BAD_PARAM, "a descriptor to be filled is finalized"};
    *question.made[i] = values[i];
  }
  return {};
}

Descriptor engine_of(const Shared& graph, std::int64_t index) {
  Descriptor engine{CUDNN_BACKEND_ENGINE_DESCRIPTOR, true};
  engine.put(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, {graph});
  engine.put<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, {index});
  return engine;
}

Descriptor configuration_for(const Shared& graph, const Configuration& proposal) {
  Descriptor made{CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, true};
  made.put(CUDNN_ATTR_ENGINECFG_ENGINE, {std::make_shared<Descriptor>(engine_of(graph, proposal.engine))});
  if (proposal.engine != kTiled) return made;
  auto knob = std::make_shared<Descriptor>(Descriptor{CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, true});
  knob->put<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE,
                                    {CUDNN_KNOB_TYPE_TILE_SIZE});
  knob->put<std::int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, {proposal.tile});
  made.put(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, {knob});
  return made;
}

std::vector<Descriptor> results_of(const Descriptor& heuristics) {
  const Shared graph = heuristics.child(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  const auto mode = heuristics.one<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE);
  std::vector<Descriptor> results;
  for (const Configuration& proposal : proposals(mode, problem_of_graph(*graph))) {
    results.push_back(configuration_for(graph, proposal));
  }
  return results;
}

std::vector<Descriptor> children(const Descriptor& descriptor, cudnnBackendAttributeName_t name) {
  std::vector<Descriptor> all;
  const auto found = descriptor.values.find(name);
  if (found == descriptor.values.end()) return all;
  for (const Shared& child : found->second.descriptors) all.push_back(*child);
  return all;
}

}  // namespace

Answer tell(const Descriptor& from, const Question& question) {
  if (!from.is_finalized) return {CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, "it is not finalized"};
  switch (question.name) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS:
      return tell_descriptors(question, results_of(from));
    case CUDNN_ATTR_ENGINECFG_ENGINE:
    case CUDNN_ATTR_ENGINECFG_KNOB_CHOICES:
      return tell_descriptors(question, children(from, question.name));
    case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
    case CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE:
      return tell_values(question, CUDNN_TYPE_INT64, from.all<std::int64_t>(question.name));
    case CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE:
      return tell_values(question, CUDNN_TYPE_KNOB_TYPE, from.all<std::int32_t>(question.name));
    case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
      return tell_values(question, CUDNN_TYPE_NUMERICAL_NOTE,
                         notes_of(from.one<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX)));
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE: {
      const Descriptor& chosen = *from.child(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
      return tell_values<std::int64_t>(question, CUDNN_TYPE_INT64,
                                       {workspace_of(configuration_of(chosen), problem_of_configuration(chosen))});
    }
    default:
      return {CUDNN_STATUS_NOT_SUPPORTED, "the fake does not tell this attribute"};
  }
}

}  // namespace regatta::cuda_fakes::cudnn
