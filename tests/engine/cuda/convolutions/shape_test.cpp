// Shapes and paddings as cuDNN sees them.
#include "engine/cuda/convolutions/shape.hpp"

#include "engine/cuda/convolutions/convolution_test.hpp"

namespace regatta::engine::cuda {
namespace {

Conv1dShape line(std::int64_t length, std::int64_t taps, std::int64_t stride, bool same) {
  Conv1dShape s{.batch = 1,
                .length = length,
                .channels = 2,
                .positions = 0,
                .filters = 3,
                .taps = taps,
                .stride = stride,
                .pad = 0};
  set_positions(s, same);
  return s;
}

TEST(ConvolutionShapeTest, ASequenceIsAnImageOfOneRow) {
  const ConvolutionShape image = image_of(line(20, 4, 2, true));
  EXPECT_EQ(image.rows, 1);
  EXPECT_EQ(image.taps_rows, 1);
  EXPECT_EQ(image.out_rows, 1);
  EXPECT_EQ(padding_of_rows(image), (Padding{0, 0}));
  EXPECT_EQ(image.columns, 20);
  EXPECT_EQ(image.out_columns, 10);
}

TEST(ConvolutionShapeTest, PaddingBehindIsWhatTheLastPositionAsksFor) {
  EXPECT_EQ(padding_of_columns(image_of(line(20, 3, 1, true))), (Padding{1, 1}));
  EXPECT_EQ(padding_of_columns(image_of(line(20, 4, 1, true))), (Padding{1, 2}));
  EXPECT_EQ(padding_of_columns(image_of(line(1, 20, 1, true))), (Padding{9, 10}));
  EXPECT_EQ(padding_of_columns(image_of(line(20, 3, 1, false))), (Padding{0, 0}));
}

TEST(ConvolutionShapeTest, PaddingBehindThatNobodyReadsIsAsMuchAsBefore) {
  // 9 inputs, 5 positions of 3 taps, two apart: position 4 begins at input 7 and ends with one zero behind.
  EXPECT_EQ(padding_of_columns(image_of(line(9, 3, 2, true))), (Padding{1, 1}));
  Conv1dShape front = line(10, 3, 1, true);  // the last position ends with the last input
  front.pad = 2;
  front.positions = 10;
  EXPECT_EQ(padding_of_columns(image_of(front)), (Padding{2, 0})) << "two more would make other positions";
  front.stride = 3;
  front.positions = 4;
  EXPECT_EQ(padding_of_columns(image_of(front)), (Padding{2, 2}));
}

TEST(ConvolutionShapeTest, AWidenedImageHoldsItsZeros) {
  const ConvolutionShape narrow = image_of(line(20, 4, 1, true));
  const ConvolutionShape wide = widened(narrow);
  EXPECT_EQ(wide.columns, 23);
  EXPECT_EQ(wide.rows, 1);
  EXPECT_EQ(padding_of_columns(wide), (Padding{0, 0}));
  EXPECT_EQ(wide.out_columns, narrow.out_columns);
  EXPECT_EQ(widened(wide), wide);
}

TEST(ConvolutionShapeTest, RandomShapesGiveTheirPositionsBack) {
  Random random(test_seed());
  for (int i = 0; i < 500; ++i) {
    const ConvolutionShape shape = image_of(random_shape(random));
    for (const ConvolutionShape& s : {shape, widened(shape)}) {
      const Padding rows = padding_of_rows(s);
      const Padding columns = padding_of_columns(s);
      EXPECT_EQ((s.rows + rows.before + rows.after - s.taps_rows) / s.stride_rows + 1, s.out_rows);
      EXPECT_EQ((s.columns + columns.before + columns.after - s.taps_columns) / s.stride_columns + 1, s.out_columns);
    }
  }
}

TEST(ConvolutionShapeTest, TheTextTellsKindsAndShapesApart) {
  std::set<std::string> texts;
  for (const ConvolutionKind kind : kKinds) {
    for (const AnyShape& shape : {AnyShape(plain_image()), AnyShape(uneven_line())}) texts.insert(text_of(kind, shape));
  }
  EXPECT_EQ(texts.size(), 6);
  EXPECT_EQ(text_of(ConvolutionKind::forward, uneven_line()), "forward 2 1 20 8 1 20 16 1 4 1 1 0 1");
}

}  // namespace
}  // namespace regatta::engine::cuda
