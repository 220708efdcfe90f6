// The names of layer kinds, as in JSON and in error texts.
#pragma once

#include <string_view>

#include "regatta/model/model.hpp"

namespace regatta::model {

inline std::string_view kind_of(const Dense&) { return "dense"; }
inline std::string_view kind_of(const Conv1d&) { return "conv1d"; }
inline std::string_view kind_of(const Conv2d&) { return "conv2d"; }
inline std::string_view kind_of(const Lstm&) { return "lstm"; }
inline std::string_view kind_of(const Bidirectional&) { return "bidirectional"; }
inline std::string_view kind_of(const MaxPool&) { return "max_pool"; }
inline std::string_view kind_of(const AveragePool&) { return "average_pool"; }
inline std::string_view kind_of(const GlobalAveragePool&) { return "global_average_pool"; }
inline std::string_view kind_of(const Flatten&) { return "flatten"; }
inline std::string_view kind_of(const Dropout&) { return "dropout"; }
inline std::string_view kind_of(const BatchNorm&) { return "batch_norm"; }
inline std::string_view kind_of(const LayerNorm&) { return "layer_norm"; }
inline std::string_view kind_of(const Embedding&) { return "embedding"; }

inline std::string_view kind_of(const Layer& layer) {
  return std::visit([](const auto& kind) { return kind_of(kind); }, layer);
}

}  // namespace regatta::model
