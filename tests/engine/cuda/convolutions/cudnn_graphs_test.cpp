// The real cuDNN's answers without a device. It takes the operation graphs of all named models and of random shapes,
// and refuses those that the half-fake's own rules refuse. Built where the library is installed.
#include <cstdio>
#include <set>

#include "engine/cuda/convolutions/convolution_test.hpp"
#include "engine/cuda/convolutions/operation_graph.hpp"
#include "engine/ir/program.hpp"
#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::engine::cuda {
namespace {

namespace fake = cuda_fakes::cudnn;

constexpr std::array<Precision, 3> kPrecisions = {Precision::fp32, Precision::tf32, Precision::bf16};
constexpr std::array<std::int64_t, 3> kLengths = {140, 1400, 14000};
constexpr std::array<std::int64_t, 2> kBatches = {1, 32};

const CudnnLibrary& real() {
  static const CudnnLibrary library = [] {
    OpenedCudnn opened = open_cudnn_at(REGATTA_CUDNN_LIBRARY);
    if (!opened.library) throw std::runtime_error(opened.missing);
    return *opened.library;
  }();
  return library;
}

using Convolution = std::pair<ConvolutionKind, ConvolutionShape>;

template <class Op>
void add_convolution(std::set<Convolution>& all, const Op& op) {
  if constexpr (std::is_same_v<Op, Conv1d> || std::is_same_v<Op, Conv2d>) {
    all.emplace(ConvolutionKind::forward, image_of(op.shape));
  } else if constexpr (std::is_same_v<Op, Conv1dKernelGradient> || std::is_same_v<Op, Conv2dKernelGradient>) {
    all.emplace(ConvolutionKind::kernel_gradient, image_of(op.shape));
  } else if constexpr (std::is_same_v<Op, Conv1dInputGradient> || std::is_same_v<Op, Conv2dInputGradient>) {
    all.emplace(ConvolutionKind::input_gradient, image_of(op.shape));
  }
}

/// None where the model's kernels are longer than its input.
std::set<Convolution> convolutions_of(const model::Model& model, std::int64_t batch) {
  std::set<Convolution> all;
  try {
    for (const Op& op : step_ops(lower(model, {.batch = batch}))) {
      std::visit([&](const auto& spec) { add_convolution(all, spec); }, op.spec);
    }
  } catch (const InputError&) {
  }
  return all;
}

std::set<Convolution> convolutions_of_named_models() {
  std::set<Convolution> all;
  for (const std::string& name : model::model_names()) {
    for (const std::int64_t length : kLengths) {
      if (length != kLengths[0] && !model::reads_length(name)) continue;
      for (const std::int64_t batch : kBatches) all.merge(convolutions_of(*model::find_model(name, length), batch));
    }
  }
  return all;
}

/// The refusal; empty: it is taken.
std::string verdict(const CudnnLibrary& library, ConvolutionKind kind, const ConvolutionShape& shape,
                    Precision precision) {
  try {
    make_operation_graph(library, nullptr, kind, shape, precision);
    return "";
  } catch (const CudnnRefusal& refusal) {
    return refusal.what();
  }
}

TEST(RealCudnnTest, TakesTheGraphsOfAllNamedModels) {
  const std::set<Convolution> all = convolutions_of_named_models();
  int graphs = 0;
  for (const auto& [kind, shape] : all) {
    for (const Precision precision : kPrecisions) {
      for (const ConvolutionShape& s : {shape, widened(shape)}) {
        EXPECT_EQ(verdict(real(), kind, s, precision), "") << text_of(kind, s);
        ++graphs;
      }
    }
  }
  std::printf("cuDNN %zu took %d graphs of %zu convolutions of %zu models\n", real().get_version(), graphs, all.size(),
              model::model_names().size());
  EXPECT_GT(all.size(), 20);
}

TEST(RealCudnnTest, TakesTheGraphsOfRandomShapes) {
  Random random(test_seed());
  for (int i = 0; i < 150; ++i) {
    const ConvolutionShape shape = image_of(random_shape(random));
    for (const ConvolutionKind kind : kKinds) {
      const Precision precision = kPrecisions[static_cast<std::size_t>(uniform(random, 0, 2))];
      EXPECT_EQ(verdict(real(), kind, shape, precision), "") << text_of(kind, shape);
      EXPECT_EQ(verdict(real(), kind, widened(shape), precision), "") << text_of(kind, shape);
    }
  }
}

/// Adds to or takes from one number of the shape.
void spoil(Random& random, ConvolutionShape& s) {
  const std::array<std::int64_t*, 10> numbers{&s.rows,        &s.columns,      &s.out_rows,    &s.out_columns,
                                              &s.taps_rows,   &s.taps_columns, &s.stride_rows, &s.stride_columns,
                                              &s.pad_columns, &s.channels};
  *numbers[static_cast<std::size_t>(uniform(random, 0, 9))] += uniform(random, 0, 1) == 1 ? 1 : -1;
}

TEST(RealCudnnTest, AgreesWithTheHalfFakesRulesOnSpoiledShapes) {
  Random random(test_seed());
  const CudnnLibrary half_fake = *open_cudnn().library;
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    ConvolutionShape shape = image_of(random_shape(random));
    spoil(random, shape);
    if (shape.stride_rows == 0 || shape.stride_columns == 0) continue;  // the engine divides by them first
    for (const ConvolutionKind kind : kKinds) {
      const std::string theirs = verdict(real(), kind, shape, Precision::fp32);
      const std::string ours = verdict(half_fake, kind, shape, Precision::fp32);
      EXPECT_EQ(theirs.empty(), ours.empty()) << text_of(kind, shape) << "\nreal: " << theirs << "\nfake: " << ours;
      refused += theirs.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 200);
}

/// One attribute of a descriptor that is otherwise complete.
struct Misuse {
  const char* what;
  void (*spoil)(Descriptor& tensor);
  bool is_taken;  ///< by cuDNN 9.19; the fake is stricter
};

void set_extents(Descriptor& tensor, std::vector<std::int64_t> extents, std::vector<std::int64_t> strides) {
  tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, std::span<const std::int64_t>(extents));
  tensor.set(CUDNN_ATTR_TENSOR_STRIDES, std::span<const std::int64_t>(strides));
}

constexpr std::array<Misuse, 8> kMisuses = {{
    {"no extents", [](Descriptor&) {}, false},
    {"extent 0",
     [](Descriptor& t) {
       set_extents(t, {1, 0, 2, 2}, {4, 1, 2, 1});
     },
     true},
    {"extent -1",
     [](Descriptor& t) {
       set_extents(t, {1, -1, 2, 2}, {4, 1, 2, 1});
     },
     false},
    {"stride -1",
     [](Descriptor& t) {
       set_extents(t, {1, 1, 2, 2}, {4, 1, -2, 1});
     },
     false},
    {"three strides for four extents",
     [](Descriptor& t) {
       set_extents(t, {1, 1, 2, 2}, {4, 2, 1});
     },
     false},
    {"type of another attribute", [](Descriptor& t) { t.set(CUDNN_ATTR_TENSOR_DIMENSIONS, 1.0F); }, false},
    {"attribute of another descriptor",
     [](Descriptor& t) { t.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2}); }, false},
    {"set when it is finalized",
     [](Descriptor& t) {
       set_extents(t, {1, 1, 2, 2}, {4, 1, 2, 1});
       t.finalize();
       t.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, std::int64_t{2});
     },
     false},
}};

bool refuses(const CudnnLibrary& library, const Misuse& misuse) {
  try {
    Descriptor tensor(library, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT);
    tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, std::int64_t{1});
    tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, std::int64_t{16});
    misuse.spoil(tensor);
    tensor.finalize();
    return false;
  } catch (const CudnnRefusal&) {
    return true;
  }
}

TEST(RealCudnnTest, RefusesTheSameMisuseOfDescriptors) {
  const CudnnLibrary half_fake = *open_cudnn().library;
  for (const Misuse& misuse : kMisuses) {
    EXPECT_TRUE(refuses(half_fake, misuse)) << misuse.what;
    EXPECT_NE(refuses(real(), misuse), misuse.is_taken) << misuse.what;
  }
}

// Configurations of engines, and with them knobs, need a device: what they tell is first seen there.
TEST(RealCudnnTest, TellsTheNotesOfEnginesThatItMakesWithoutADevice) {
  const Conv2dShape shape{.batch = 32,
                          .rows = 28,
                          .columns = 28,
                          .channels = 16,
                          .out_rows = 26,
                          .out_columns = 26,
                          .filters = 32,
                          .taps = 3,
                          .stride = 1,
                          .pad_rows = 0,
                          .pad_columns = 0};
  const OperationGraph graph =
      make_operation_graph(real(), nullptr, ConvolutionKind::forward, image_of(shape), Precision::fp32);
  constexpr std::int64_t kAsked = 3;
  std::int64_t made = 0;
  for (std::int64_t index = 0; index < kAsked; ++index) {
    Descriptor engine(real(), CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    engine.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph.operations);
    engine.set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, index);
    try {
      engine.finalize();
    } catch (const CudnnRefusal&) {
      continue;
    }
    ++made;
    EXPECT_EQ(engine.get<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX), index);
    for (const std::int32_t note :
         engine.get_numbers(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, 64)) {
      EXPECT_LT(note, CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
    }
  }
  EXPECT_GT(made, 0);
}

TEST_F(ConvolutionTest, PlansAreFoundWhileTheRealLibraryChecksTheirGraphs) {
  fake::set_orders({.forwards = true, .real_library = REGATTA_CUDNN_LIBRARY});
  ASSERT_EQ(fake::why_not_forwarding(), "");
  Random random(test_seed());
  make();
  int planned = 0;
  for (int i = 0; i < 20; ++i) {
    const ConvolutionShape shape = image_of(random_shape(random));
    for (const ConvolutionKind kind : kKinds) planned += convolutions->find(kind, shape) != nullptr ? 1 : 0;
  }
  EXPECT_GT(planned, 30);
  convolutions.reset();
  fake::set_orders({});
}

TEST_F(ConvolutionTest, WithoutTheRealLibraryForwardingSaysWhy) {
  fake::set_orders({.forwards = true, .real_library = "libcudnn_of_nobody.so.9"});
  EXPECT_THAT(fake::why_not_forwarding(), testing::HasSubstr("libcudnn_of_nobody.so.9"));
}

}  // namespace
}  // namespace regatta::engine::cuda
