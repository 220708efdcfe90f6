#include "engine/cuda/convolutions/engines.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr std::uint32_t bit(cudnnBackendNumericalNote_t note) { return std::uint32_t{1} << note; }

constexpr std::uint32_t kOtherAlgorithms =
    bit(CUDNN_NUMERICAL_NOTE_FFT) | bit(CUDNN_NUMERICAL_NOTE_WINOGRAD) | bit(CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4) |
    bit(CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6) | bit(CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13);
constexpr std::uint32_t kCoarser =
    bit(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) | bit(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION);

// A later library may note what this build has no name for.
constexpr std::uint32_t kUnknown = std::uint32_t{1} << 31;
constexpr std::size_t kMostNotes = 64;
constexpr std::size_t kMostKnobs = 64;

std::uint32_t notes_of(const Descriptor& engine) {
  std::uint32_t notes = 0;
  for (const std::int32_t note :
       engine.get_numbers(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, kMostNotes)) {
    const bool is_known = note >= 0 && note < CUDNN_NUMERICAL_NOTE_TYPE_COUNT;
    notes |= is_known ? bit(static_cast<cudnnBackendNumericalNote_t>(note)) : kUnknown;
  }
  return notes;
}

std::vector<Knob> knobs_of(const Descriptor& configuration) {
  std::vector<Knob> knobs;
  for (const Descriptor& choice : configuration.get_descriptors(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                                                CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, kMostKnobs)) {
    const auto types = choice.get_numbers(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1);
    if (types.empty()) throw CudnnRefusal("a knob of cuDNN has no type");
    knobs.push_back({types[0], choice.get<std::int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE)});
  }
  return knobs;
}

EngineChoice choice_of(const Descriptor& configuration) {
  const std::vector<Descriptor> engines =
      configuration.get_descriptors(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
  if (engines.empty()) throw CudnnRefusal("a configuration of cuDNN has no engine");
  return {engines[0].get<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX), knobs_of(configuration)};
}

}  // namespace

std::vector<EngineChoice> proposals(const CudnnLibrary& library, const OperationGraph& graph,
                                    cudnnBackendHeurMode_t mode) {
  Descriptor heuristics(library, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph.operations);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
  heuristics.finalize();
  const std::size_t count = heuristics.count(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR);
  std::vector<EngineChoice> all;
  for (const Descriptor& configuration :
       heuristics.get_descriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, count)) {
    all.push_back(choice_of(configuration));
  }
  return all;
}

EngineConfiguration make_configuration(const CudnnLibrary& library, const OperationGraph& graph,
                                       const EngineChoice& choice) {
  EngineConfiguration made{{}, Descriptor(library, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR), choice};
  Descriptor& engine = made.parts.emplace_back(library, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph.operations);
  engine.set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, choice.engine);
  engine.finalize();
  made.notes = notes_of(engine);
  made.configuration.set(CUDNN_ATTR_ENGINECFG_ENGINE, engine);
  std::vector<Descriptor> knobs;
  for (const Knob& knob : choice.knobs) {
    Descriptor& chosen = knobs.emplace_back(library, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
    chosen.set_number(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, knob.type);
    chosen.set(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, knob.value);
    chosen.finalize();
  }
  if (!knobs.empty()) made.configuration.set_descriptors(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, knobs);
  made.configuration.finalize();
  for (Descriptor& knob : knobs) made.parts.push_back(std::move(knob));
  return made;
}

bool fits(std::uint32_t notes, Precision precision, bool deterministic) {
  std::uint32_t barred = kOtherAlgorithms | kCoarser | kUnknown;
  if (precision == Precision::fp32) barred |= bit(CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
  if (deterministic) barred |= bit(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
  return (notes & barred) == 0;
}

}  // namespace regatta::engine::cuda
