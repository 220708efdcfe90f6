// The abilities of engines with the layers of a network, by the table of layers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "regatta/model/model.hpp"

namespace regatta::model {

/// The activation behind a layer's products; nothing for layers without one and for recurrent ones.
std::optional<Activation> activation_of(const Layer& layer);

/// The activation inside a recurrent layer.
std::optional<Activation> inner_activation_of(const Layer& layer);

/// Whether the last layer is the dense one, with its activation, that native and numpy compute the loss from. Losses
/// without an activation of their own take any.
bool ends_as_loss_needs(const Network& network);

/// The hardware that the native engine computes on: its own kernels on the processor, a library's on a device.
enum class ComputedOn { processor, device };

/// The first layer whose products the native engine has in fp32 alone there.
std::optional<std::size_t> first_in_fp32(const Network& network, ComputedOn on);

/// "dense and conv1d", "dense, conv1d and conv2d": the layers whose products the native engine has in bf16 there.
std::string layers_in_bf16(ComputedOn on);

}  // namespace regatta::model
