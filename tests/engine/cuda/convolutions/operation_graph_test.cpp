// Operation graphs as cuDNN's rules take them; the real library's verdict on them is asked in cudnn_graphs_test.cpp.
#include "engine/cuda/convolutions/operation_graph.hpp"

#include "engine/cuda/convolutions/convolution_test.hpp"

namespace regatta::engine::cuda {
namespace {

TEST(OperationGraphTest, EveryKindAndPrecisionOfRandomShapesIsTaken) {
  Random random(test_seed());
  const CudnnLibrary fake = *open_cudnn().library;
  for (int i = 0; i < 100; ++i) {
    const ConvolutionShape shape = image_of(random_shape(random));
    for (const ConvolutionKind kind : kKinds) {
      for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
        EXPECT_NO_THROW(make_operation_graph(fake, nullptr, kind, shape, precision)) << text_of(kind, shape);
        EXPECT_NO_THROW(make_operation_graph(fake, nullptr, kind, widened(shape), precision)) << text_of(kind, shape);
      }
    }
  }
}

TEST(OperationGraphTest, PositionsThatThePaddingDoesNotGiveAreRefused) {
  const CudnnLibrary fake = *open_cudnn().library;
  ConvolutionShape shape = image_of(plain_image());
  shape.out_columns = 4;
  EXPECT_THROW(make_operation_graph(fake, nullptr, ConvolutionKind::forward, shape, Precision::fp32), CudnnRefusal);
}

TEST(OperationGraphTest, RowsAndColumnsHaveStridesAndPaddingsOfTheirOwn) {
  const CudnnLibrary fake = *open_cudnn().library;
  ConvolutionShape shape = image_of(plain_image());
  shape.stride_rows = 2;
  shape.out_rows = 4;
  shape.taps_columns = 5;
  shape.pad_columns = 2;
  for (const ConvolutionKind kind : kKinds) {
    EXPECT_NO_THROW(make_operation_graph(fake, nullptr, kind, shape, Precision::fp32)) << text_of(kind, shape);
  }
}

TEST(OperationGraphTest, OperandsStandInTheOrderOfTheOperation) {
  using Ids = std::array<std::int64_t, 3>;
  EXPECT_EQ(tensor_ids(ConvolutionKind::forward), (Ids{kInputId, kKernelId, kOutputId}));
  EXPECT_EQ(tensor_ids(ConvolutionKind::kernel_gradient), (Ids{kInputId, kOutputId, kKernelId}));
  EXPECT_EQ(tensor_ids(ConvolutionKind::input_gradient), (Ids{kOutputId, kKernelId, kInputId}));
}

}  // namespace
}  // namespace regatta::engine::cuda
