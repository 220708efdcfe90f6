#include "regatta/model/catalogue.hpp"

#include <algorithm>
#include <array>

namespace regatta::model {

namespace {

constexpr Activation relu = Activation::relu;

void append(std::vector<Layer>& layers, std::vector<Layer> more) {
  layers.insert(layers.end(), more.begin(), more.end());
}

/// A network with one sigmoid unit at its end, as the conv1d models train it.
Network binary_classifier(std::string name, Shape input, std::vector<Layer> layers) {
  layers.emplace_back(Dense{1, Activation::sigmoid});
  return {std::move(name), std::move(input), std::move(layers), Loss::binary_crossentropy, Adam{1e-4}};
}

/// The layers between the sequence and the last unit of the larger models.
std::vector<Layer> deep_head() { return {Dense{256, relu}, Dropout{0.5}, Dense{128, relu}, Dense{64, relu}}; }

constexpr std::int64_t channels = 30;

Model conv1d_small(std::string name, std::int64_t length) {
  return binary_classifier(std::move(name), {length, channels},
                           {Conv1d{128, 40, 4, Padding::same}, GlobalAveragePool{}, Dropout{0.5}, Dense{64, relu}});
}

Model conv1d_medium(std::string name, std::int64_t length) {
  std::vector<Layer> layers;
  for (const std::int64_t filters : {64, 128, 256, 256, 128, 64}) layers.emplace_back(Conv1d{filters, 20});
  layers.emplace_back(GlobalAveragePool{});
  append(layers, deep_head());
  return binary_classifier(std::move(name), {length, channels}, std::move(layers));
}

Model conv1d_large(std::string name, std::int64_t length) {
  std::vector<Layer> layers{Conv1d{64, 400, 4}, Conv1d{128, 200}};
  layers.insert(layers.end(), 40, Conv1d{256, 12, 1, Padding::same});
  append(layers, {Conv1d{512, 20, 2}, Conv1d{1028, 10, 2}, Conv1d{256, 1}, GlobalAveragePool{}});
  append(layers, deep_head());
  return binary_classifier(std::move(name), {length, channels}, std::move(layers));
}

Model conv1d_question(std::string name, std::int64_t /*length*/) {
  return binary_classifier(std::move(name), {400, 16},
                           {Conv1d{128, 400, 4, Padding::same}, Flatten{}, Dropout{0.5}, Dense{64, relu}});
}

Model bilstm_question(std::string name, std::int64_t /*length*/) {
  std::vector<Layer> layers{Bidirectional{Lstm{512, relu, true}}, Lstm{512, relu, true},
                            Conv1d{128, 400, 4, Padding::same}, Flatten{}};
  append(layers, deep_head());
  return binary_classifier(std::move(name), {400, 16}, std::move(layers));
}

Model mlp_784(std::string name, std::int64_t /*length*/) {
  return Network{std::move(name),
                 {784},
                 {Dense{128, relu}, Dense{10, Activation::softmax}},
                 Loss::sparse_categorical_crossentropy,
                 Adam{1e-3}};
}

Model mlp_10(std::string name, std::int64_t /*length*/) {
  return Network{std::move(name), {10}, {Dense{50, relu}, Dense{1}}, Loss::mse, Sgd{0.01}};
}

/// Measured in inference; loss and optimizer serve whoever trains it all the same.
Model cnn_28(std::string name, std::int64_t /*length*/) {
  return Network{std::move(name),
                 {28, 28, 1},
                 {Conv2d{32, 3, 1, Padding::valid, relu}, MaxPool{2}, Conv2d{64, 3, 1, Padding::valid, relu},
                  MaxPool{2}, Flatten{}, Dropout{0.5}, Dense{10, Activation::softmax}},
                 Loss::sparse_categorical_crossentropy,
                 Adam{1e-3}};
}

Model digits_mlp(std::string name, std::int64_t /*length*/) {
  return Network{std::move(name),
                 {64},
                 {Dense{32, relu}, Dense{10, Activation::softmax}},
                 Loss::sparse_categorical_crossentropy,
                 Adam{0.01}};
}

Model matmul_1000(std::string name, std::int64_t /*length*/) { return Matmul{std::move(name), 1000}; }
Model scalar_gradient(std::string name, std::int64_t /*length*/) { return ScalarGradient{std::move(name)}; }
Model noop(std::string name, std::int64_t /*length*/) { return Noop{std::move(name)}; }

struct Entry {
  std::string_view name;
  Model (*build)(std::string name, std::int64_t length);
  bool reads_length = false;
};

constexpr std::array catalogue{
    Entry{"conv1d-small", conv1d_small, true},
    Entry{"conv1d-medium", conv1d_medium, true},
    Entry{"conv1d-large", conv1d_large, true},
    Entry{"conv1d-question", conv1d_question},
    Entry{"bilstm-question", bilstm_question},
    Entry{"mlp-784", mlp_784},
    Entry{"mlp-10", mlp_10},
    Entry{"cnn-28", cnn_28},
    Entry{"digits-mlp", digits_mlp},
    Entry{"matmul-1000", matmul_1000},
    Entry{"scalar-gradient", scalar_gradient},
    Entry{"noop", noop},
};

const Entry* entry_named(std::string_view name) {
  const auto* const found =
      std::find_if(catalogue.begin(), catalogue.end(), [&](const Entry& entry) { return entry.name == name; });
  return found == catalogue.end() ? nullptr : found;
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Entry& entry : catalogue) names.emplace_back(entry.name);
  return names;
}

std::optional<Model> find_model(std::string_view name, std::int64_t length) {
  const Entry* entry = entry_named(name);
  if (entry == nullptr) return std::nullopt;
  return entry->build(std::string(name), length);
}

bool reads_length(std::string_view name) {
  const Entry* entry = entry_named(name);
  return entry != nullptr && entry->reads_length;
}

}  // namespace regatta::model
