// The counts of every named workload, as published with the list of workloads: parameters and operators exact, FLOP to
// the three digits that are printed there.
#include <gtest/gtest.h>

#include <cmath>

#include "regatta/model/catalogue.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::model {
namespace {

struct Row {
  const char* name;
  std::int64_t length;
  std::int64_t batch;
  std::int64_t parameters;
  const char* forward_flop;
  const char* input_gradient_flop;
  const char* weight_gradient_flop;
  const char* step_flop;
  std::int64_t eager_ops;
  std::int64_t fused_ops;
};

/// `value` with as many digits after the point, and with the unit, of `like` ("3.44 G"): what a table would print.
std::string printed_like(double value, const std::string& like) {
  const std::size_t space = like.find(' ');
  const char unit = space == std::string::npos ? ' ' : like.at(space + 1);
  const double scale = unit == 'k' ? 1e3 : unit == 'M' ? 1e6 : unit == 'G' ? 1e9 : unit == 'T' ? 1e12 : 1;
  const std::string number = like.substr(0, space);
  const std::size_t point = number.find('.');
  const int digits = point == std::string::npos ? 0 : static_cast<int>(number.size() - point - 1);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value / scale);
  return unit == ' ' ? std::string(text) : std::string(text) + " " + unit;
}

void expect_row(const Row& row, const Work& work) {
  SCOPED_TRACE(std::string(row.name) + " at length " + std::to_string(row.length) + ", batch " +
               std::to_string(row.batch));
  EXPECT_EQ(work.parameters, row.parameters);
  EXPECT_EQ(printed_like(work.forward_flop, row.forward_flop), row.forward_flop);
  EXPECT_EQ(printed_like(work.input_gradient_flop, row.input_gradient_flop), row.input_gradient_flop);
  EXPECT_EQ(printed_like(work.weight_gradient_flop, row.weight_gradient_flop), row.weight_gradient_flop);
  const double step_flop = work.forward_flop + work.input_gradient_flop + work.weight_gradient_flop;
  EXPECT_EQ(printed_like(step_flop, row.step_flop), row.step_flop);
  EXPECT_EQ(work.eager_ops, row.eager_ops);
  EXPECT_EQ(work.fused_ops, row.fused_ops);
}

TEST(Work, OfTrainingEqualsThePublishedTable) {
  const Row rows[] = {
      {"conv1d-small", 140, 32, 162049, "345 M", "0.5 M", "345 M", "690 M", 42, 10},
      {"conv1d-small", 1400, 32, 162049, "3.44 G", "0.5 M", "3.44 G", "6.88 G", 42, 10},
      {"conv1d-small", 14000, 32, 162049, "34.4 G", "0.5 M", "34.4 G", "68.8 G", 42, 10},
      {"conv1d-medium", 140, 32, 3046273, "12.4 G", "12.1 G", "12.4 G", "36.8 G", 95, 31},
      {"conv1d-medium", 1400, 32, 3046273, "253 G", "250 G", "253 G", "756 G", 95, 31},
      {"conv1d-medium", 14000, 32, 3046273, "2.66 T", "2.63 T", "2.66 T", "7.95 T", 95, 31},
      {"conv1d-large", 1400, 32, 41737669, "125 G", "113 G", "125 G", "364 G", 368, 148},
      {"conv1d-large", 14000, 32, 41737669, "7.42 T", "7.25 T", "7.42 T", "22.1 T", 368, 148},
      {"conv1d-question", 140, 32, 1638657, "5.30 G", "52 M", "5.30 G", "10.6 G", 40, 10},
      {"bilstm-question", 140, 32, 34847361, "304 G", "302 G", "304 G", "910 G", 54077, 1625},
      {"mlp-784", 140, 32, 101770, "6.50 M", "82 k", "6.50 M", "13.1 M", 31, 7},
      {"mlp-10", 140, 1000, 601, "1.10 M", "0.10 M", "1.10 M", "2.30 M", 20, 7},
      {"mlp-10", 140, 32, 601, "35.2 k", "3.2 k", "35.2 k", "73.6 k", 20, 7},
      {"matmul-1000", 140, 1, 0, "2.0 G", "0", "0", "2.0 G", 1, 1},
  };
  for (const Row& row : rows) expect_row(row, training_work(*find_model(row.name, row.length), row.batch));
}

TEST(Work, OfInferenceEqualsThePublishedTable) {
  const Row row{"cnn-28", 140, 1, 34826, "4.88 M", "0", "0", "4.88 M", 11, 3};
  expect_row(row, inference_work(*find_model("cnn-28", 140), 1));
}

TEST(Work, IsProportionalToTheBatch) {
  const Model model = *find_model("conv1d-small", 140);
  EXPECT_DOUBLE_EQ(training_work(model, 64).forward_flop, 2 * training_work(model, 32).forward_flop);
  EXPECT_DOUBLE_EQ(training_work(model, 64).weight_gradient_flop, 2 * training_work(model, 32).weight_gradient_flop);
  EXPECT_EQ(training_work(model, 64).eager_ops, training_work(model, 32).eager_ops);
}

TEST(Work, OfInferenceIsTheForwardPassWithoutDropout) {
  const Network network{"odd", {13}, {Dense{29, Activation::tanh}, Dropout{0.5}, Dense{3}}, Loss::mse, Sgd{0.1}};
  const Work work = inference_work(network, 7);
  EXPECT_DOUBLE_EQ(work.forward_flop, 2.0 * 7 * (13 * 29 + 29 * 3));
  EXPECT_EQ(work.input_gradient_flop, 0);
  EXPECT_EQ(work.weight_gradient_flop, 0);
  EXPECT_EQ(work.eager_ops, 3 + 2);
  EXPECT_EQ(work.fused_ops, 2);
}

TEST(Work, SkipsTheInputGradientOfTheFirstLayerWithParameters) {
  const Network plain{"plain", {4, 5}, {Flatten{}, Dense{3}}, Loss::mse, Sgd{0.1}};
  EXPECT_EQ(training_work(plain, 2).input_gradient_flop, 0);
  const Network pooled{"pooled", {4, 5}, {AveragePool{2}, Flatten{}, Dense{3}}, Loss::mse, Sgd{0.1}};
  EXPECT_EQ(training_work(pooled, 2).eager_ops, training_work(plain, 2).eager_ops + 1);  // forward only
}

TEST(Work, OfABidirectionalLayerInTheMiddleHoldsBothInputGradientsAndTheirSum) {
  const Network first{"first", {5, 4}, {Bidirectional{Lstm{3}}}, Loss::mse, Sgd{0.1}};
  const Network second{"second", {5, 4}, {Conv1d{4, 1}, Bidirectional{Lstm{3}}}, Loss::mse, Sgd{0.1}};
  const std::int64_t convolution = 2 + 2 + 2;  // forward, gradients of kernel and bias, their updates
  EXPECT_EQ(training_work(second, 1).eager_ops, training_work(first, 1).eager_ops + convolution + 2 + 1);
  EXPECT_EQ(training_work(second, 1).fused_ops, training_work(first, 1).fused_ops + 2 + 1);
}

TEST(Work, OfTheScalarGradientAndOfNothing) {
  EXPECT_EQ(training_work(*find_model("scalar-gradient", 140), 1).eager_ops, 5);
  EXPECT_EQ(training_work(*find_model("scalar-gradient", 140), 1).fused_ops, 1);
  EXPECT_EQ(training_work(*find_model("noop", 140), 1).eager_ops, 0);
}

}  // namespace
}  // namespace regatta::model
