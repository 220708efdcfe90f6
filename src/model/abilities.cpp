#include "regatta/model/abilities.hpp"

namespace regatta::model {

std::optional<Activation> activation_of(const Layer& layer) {
  return std::visit(
      [&](const auto& kind) -> std::optional<Activation> {
        if constexpr (requires { kind.activation; }) {
          if (!info(layer).is_recurrent) return kind.activation;
        }
        return std::nullopt;
      },
      layer);
}

std::optional<Activation> inner_activation_of(const Layer& layer) {
  return std::visit(
      [&](const auto& kind) -> std::optional<Activation> {
        if constexpr (requires { kind.inner.activation; }) return kind.inner.activation;
        if constexpr (requires { kind.activation; }) {
          if (info(layer).is_recurrent) return kind.activation;
        }
        return std::nullopt;
      },
      layer);
}

bool ends_as_loss_needs(const Network& network) {
  const Activation own = info(network.loss).activation;
  if (own == Activation::none) return true;
  const auto* dense = network.layers.empty() ? nullptr : std::get_if<Dense>(&network.layers.back());
  return dense != nullptr && dense->activation == own;
}

std::optional<std::size_t> first_in_fp32(const Network& network) {
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    if (info(network.layers[i]).products == Products::fp32) return i;
  }
  return std::nullopt;
}

std::string layers_in_bf16() {
  std::string names;
  for (const LayerInfo& row : layer_table) {
    if (row.products != Products::fp32_or_bf16) continue;
    names += (names.empty() ? "" : " and ") + std::string(row.name);
  }
  return names;
}

}  // namespace regatta::model
