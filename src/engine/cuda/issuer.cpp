#include "engine/cuda/issuer.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "engine/cuda/kernels/fused.hpp"
#include "engine/cuda/tiled/matmul.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

namespace {

const void* alternative_of(const OpSpec& spec) {
  return std::visit([](const auto& op) -> const void* { return &op; }, spec);
}

template <class Op>
bool is(const Call& call) {
  return call.notes[0] == static_cast<std::int64_t>(kOpIndex<Op>);
}

/// Whether the call has the state of the step among its operands.
bool reads_state(const Call& call, const Call& step) {
  return std::ranges::find(call.operands, step.operands[0]) != call.operands.end();
}

/// Whether these are such operations, and issued as one.
template <class First, class Second>
bool are_pair(const Target& target, const Call& first, const Call& second) {
  return is<First>(first) && is<Second>(second) &&
         issue_pair(target, *static_cast<const First*>(first.spec), first.operands,
                    *static_cast<const Second*>(second.spec), second.operands);
}

template <class... Specs>
constexpr std::array<const char*, kOpKinds> names_of(std::variant<Specs...>* /*any*/) {
  return {Specs::kName...};
}
constexpr auto kNames = names_of(static_cast<OpSpec*>(nullptr));

/// Ranks on devices have no shards, so no batch normalization over all of them.
constexpr bool is_of_shards(std::size_t kind) {
  return kind == kOpIndex<BatchSums> || kind == kOpIndex<BatchNormInputGradient>;
}

void launch(const Call& call, std::int64_t /*begin*/, std::int64_t /*end*/) {
  static_cast<const Issuer*>(call.context)->issue(call);
}

}  // namespace

Issuer::Issuer(const Target& target, const ProductTools& tools) : target_(target), tools_(tools) {
  enter_elementwise(kernels_);
  enter_losses(kernels_);
  enter_sums(kernels_);
  enter_pools(kernels_);
  enter_normalization(kernels_);
  enter_dropout(kernels_);
  enter_embedding(kernels_);
  enter_updates(kernels_);
  enter_matmul(products_);
  enter_convolutions(products_);
  enter_lstm(products_);
  for (std::size_t kind = 0; kind < kOpKinds; ++kind) {
    const int ways = (kernels_[kind] != nullptr ? 1 : 0) + (products_[kind].issue != nullptr ? 1 : 0);
    expect(ways == (is_of_shards(kind) ? 0 : 1), "each operation is issued in one way");
  }
}

std::int64_t Issuer::scratch_bytes(const OpSpec& spec) const {
  if (is_of_shards(spec.index())) {
    throw InputError(
        "batch_statistics batch is not there on device cuda (a rank takes its part of a batch at once); take shard");
  }
  const ProductOperation& operation = products_[spec.index()];
  return operation.prepare == nullptr ? 0 : operation.prepare(tools_, alternative_of(spec));
}

BoundCalls Issuer::bind(const OpSpec& spec, const Memory& memory) const {
  BoundCalls bound;
  bound.count = 1;
  Call& call = bound.calls[0];
  call.launch = launch;
  call.spec = alternative_of(spec);
  call.context = this;
  call.notes[0] = static_cast<std::int64_t>(spec.index());
  call.operands = memory;
  return bound;
}

const char* Issuer::name_of(const Call& call) { return kNames.at(static_cast<std::size_t>(call.notes[0])); }

void Issuer::issue(const Call& call) const {
  const auto kind = static_cast<std::size_t>(call.notes[0]);
  if (kernels_[kind] != nullptr) {
    kernels_[kind](target_, call.spec, call.operands);
  } else {
    products_[kind].issue(tools_, target_, call.spec, call.operands);
  }
}

void Issuer::issue(std::span<const Call> calls) const {
  const Call* step = nullptr;  // the step that no later call has read
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (is<AdvanceStep>(calls[i]) && step == nullptr) {
      step = &calls[i];
      continue;
    }
    const bool has_next = i + 1 < calls.size();
    if (step != nullptr && (reads_state(calls[i], *step) || (has_next && reads_state(calls[i + 1], *step))))
      issue(*std::exchange(step, nullptr));
    if (has_next && issue_both(calls[i], calls[i + 1])) {
      ++i;
    } else {
      issue(calls[i]);
    }
  }
  if (step != nullptr) issue(*step);
}

bool Issuer::issue_both(const Call& first, const Call& second) const {
  return are_pair<GlobalAveragePool, Dropout>(target_, first, second) ||
         are_pair<DropoutGradient, GlobalAveragePoolGradient>(target_, first, second) ||
         (tools_.precision == Precision::fp32 && are_pair<MatMul, MatMul>(target_, first, second));
}

}  // namespace regatta::engine::cuda
