#include "regatta/model/abilities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace regatta::model {
namespace {

bool has_bf16(Products products, ComputedOn on) {
  return products == Products::fp32_or_bf16 || (products == Products::bf16_on_device && on == ComputedOn::device);
}

}  // namespace

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

std::optional<std::size_t> first_in_fp32(const Network& network, ComputedOn on) {
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Products products = info(network.layers[i]).products;
    if (products != Products::none && !has_bf16(products, on)) return i;
  }
  return std::nullopt;
}

std::string layers_in_bf16(ComputedOn on) {
  std::vector<std::string_view> names;
  for (const LayerInfo& row : layer_table) {
    if (has_bf16(row.products, on)) names.push_back(row.name);
  }
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

}  // namespace regatta::model
