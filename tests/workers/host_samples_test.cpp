#include "batches/host_samples.hpp"

#include <gmock/gmock.h>

#include "batches/feeder.hpp"
#include "batches/pipeline.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/batches.hpp"

namespace regatta::worker {
namespace {

using model::Tensor;
using ::testing::HasSubstr;

constexpr float third = 1.0F / 3;

std::vector<Tensor> bytes_times(float scale) {
  std::vector<float> x;
  for (const float byte : {0.0F, 1.0F, 7.0F, 128.0F, 254.0F, 255.0F, 3.0F, 100.0F}) x.push_back(byte * scale);
  return {
      {"x", {2, 2, 2}, x}, {"y", {2, 2}, std::vector<std::int32_t>(4)}, {data::scale_of_x, {1}, {std::vector{scale}}}};
}

std::string refusal(const std::string& host_dtype, const std::vector<Tensor>& tensors) {
  try {
    samples_held_as(host_dtype, tensors);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(HostSamples, GiveExactlyTheFloatsBack) {
  const std::vector<Tensor> tensors = bytes_times(third);
  const auto& x = std::get<std::vector<float>>(tensors[0].values);
  for (const char* const host_dtype : {"uint8", "float64"}) {
    const auto held = samples_held_as(host_dtype, tensors);
    ASSERT_TRUE(held);
    EXPECT_EQ(data::row_bytes(held->x), 2 * (held->x.type == data::ElementType::uint8 ? 1U : 8U));
    std::vector<float> floats;
    for (const std::size_t batch : {1U, 0U}) {
      make_floats(*held, batch_at(*held, batch), floats);
      EXPECT_EQ(floats, std::vector<float>(x.begin() + 4 * static_cast<int>(batch),
                                           x.begin() + 4 * static_cast<int>(batch) + 4));
    }
  }
  EXPECT_FALSE(samples_held_as("float32", tensors));
}

TEST(HostSamples, AreBytesOnlyIfTheyWere) {
  std::vector<Tensor> tensors = bytes_times(0.5F);
  std::get<std::vector<float>>(tensors[0].values)[3] += 0.25F;
  EXPECT_THAT(refusal("uint8", tensors), HasSubstr("'x' holds 64.25, which is no byte times 0.5"));
  tensors = bytes_times(0.5F);
  std::get<std::vector<float>>(tensors[0].values)[3] = 128;
  EXPECT_THAT(refusal("uint8", tensors), HasSubstr("no byte")) << "256 is none";
  tensors.pop_back();
  EXPECT_THAT(refusal("uint8", tensors), HasSubstr("no bytes times a scale; use host_dtype float32"));
  EXPECT_EQ(refusal("float64", tensors), "no error");
  tensors[0].values = std::vector<std::int32_t>(8);
  EXPECT_FALSE(samples_held_as("float64", tensors)) << "indices stay what they are";
}

TEST(HostSamples, BecomeFloatsInTheLoaderOrAreGivenAsTheyAre) {
  const std::vector<Tensor> tensors = bytes_times(third);
  const auto& x = std::get<std::vector<float>>(tensors[0].values);
  const auto held = samples_held_as("uint8", tensors);
  const auto converting = make_pipeline(tensors, {.held = &*held});
  const auto first = converting->next();
  EXPECT_THAT(std::vector<float>(x.begin(), x.begin() + 4),
              ::testing::ElementsAreArray(batch_in(*converting, *first).x));
  const auto giving = make_pipeline(tensors, {.held = &*held, .converts = false});
  const auto bytes = giving->next();
  EXPECT_TRUE(batch_in(*giving, *bytes).x.empty() && batch_in(*giving, *bytes).x_int.empty());
  EXPECT_EQ(bytes->fields[0][3], std::byte{128});
}

}  // namespace
}  // namespace regatta::worker
