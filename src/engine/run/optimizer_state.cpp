#include "engine/run/optimizer_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "regatta/base/error.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::engine {

namespace {

constexpr const char* kWhat = "optimizer state";
constexpr const char* kStep = "step";
constexpr const char* kLearningRate = "learning_rate";
constexpr const char* kBetaPowers = "beta_powers";
constexpr std::int64_t kFloat = sizeof(float);

using Halves = std::array<std::int32_t, 2>;  // low, high

/// A buffer of a parameter that is part of the state, under its name.
struct StateBuffer {
  std::string name;
  const model::Shape& shape;
  BufferIndex buffer;
};

std::vector<StateBuffer> state_buffers(const Program& program) {
  std::vector<StateBuffer> found;
  const auto add = [&](const char* kind, BufferIndex ParameterBuffers::*buffer) {
    for (const ParameterBuffers& parameter : program.parameters) {
      if (parameter.*buffer == kNoBuffer) continue;
      found.push_back({fmt::format("{}/{}", kind, parameter.name), parameter.shape, parameter.*buffer});
    }
  };
  add("first_moment", &ParameterBuffers::first_moment);
  add("second_moment", &ParameterBuffers::second_moment);
  add("gradient_sum", &ParameterBuffers::gradient_sum);
  return found;
}

bool has_beta_powers(const Program& program) {
  return std::any_of(program.updates.begin(), program.updates.end(),
                     [](const Op& op) { return std::holds_alternative<AdamUpdate>(op.spec); });
}

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw InputError(fmt::format("{}: tensor {} {}", kWhat, name, what));
}

const std::vector<std::int32_t>& integers(const std::vector<model::Tensor>& state, const char* name,
                                          const model::Shape& shape) {
  const model::Tensor& tensor = model::tensor_named(state, name);
  const auto* const values = std::get_if<std::vector<std::int32_t>>(&tensor.values);
  if (values == nullptr || tensor.shape != shape || std::ssize(*values) != model::element_count(shape)) {
    fail(name, "has another shape or type than a session's (they must agree); restore what optimizer_state() gave");
  }
  return *values;
}

void check_names(const std::vector<StateBuffer>& buffers, const std::vector<model::Tensor>& state, bool with_step,
                 bool with_powers) {
  for (const model::Tensor& tensor : state) {
    const bool known = (with_step && (tensor.name == kStep || tensor.name == kLearningRate)) ||
                       (with_powers && tensor.name == kBetaPowers) ||
                       std::any_of(buffers.begin(), buffers.end(),
                                   [&](const StateBuffer& buffer) { return buffer.name == tensor.name; });
    if (known) continue;
    fail(tensor.name,
         "is nothing that this session keeps (its steps would not read it); restore with the model and optimizer that "
         "it was saved from");
  }
}

/// Reads StepState from the tensors beside those of the parameters.
StepState read_step_state(const std::vector<model::Tensor>& state, bool with_powers) {
  StepState found;
  const auto& step = integers(state, kStep, {2});
  found.step = std::bit_cast<std::int64_t>(Halves{step[0], step[1]});
  if (found.step < 0) fail(kStep, fmt::format("holds {} (steps are counted from 0); save it again", found.step));
  expect_fits(kWhat, state, kLearningRate, {1});
  const float rate = std::get<std::vector<float>>(model::tensor_named(state, kLearningRate).values)[0];
  found.learning_rate = checked_learning_rate(static_cast<double>(rate));
  if (!with_powers) return found;
  const auto& powers = integers(state, kBetaPowers, {2, 2});
  found.beta1_power = std::bit_cast<double>(Halves{powers[0], powers[1]});
  found.beta2_power = std::bit_cast<double>(Halves{powers[2], powers[3]});
  for (const double power : {found.beta1_power, found.beta2_power}) {
    if (!(power >= 0 && power <= 1))
      fail(kBetaPowers, fmt::format("holds {} (powers lie in [0, 1]); save it again", power));
  }
  return found;
}

}  // namespace

void* state_address(const Program& program, const std::vector<void*>& addresses) {
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    if (program.buffers[i].role == Role::step_state) return addresses[i];
  }
  return nullptr;
}

void expect_fits(const char* what, const std::vector<model::Tensor>& tensors, const std::string& name,
                 const model::Shape& shape) {
  const model::Tensor& tensor = model::tensor_named(tensors, name);
  const auto* const values = std::get_if<std::vector<float>>(&tensor.values);
  if (values != nullptr && tensor.shape == shape && std::ssize(*values) == model::element_count(shape)) return;
  throw InputError(
      fmt::format("{}: tensor {} has another shape or type than the model's parameter (they must "
                  "agree); write the {} again for this model",
                  what, name, what));
}

float checked_learning_rate(double learning_rate) {
  const auto rate = static_cast<float>(learning_rate);
  if (rate >= 0 && std::isfinite(rate)) return rate;
  throw InputError(fmt::format("learning_rate is {} (in fp32 it must be finite and at least 0)", learning_rate));
}

std::vector<model::Tensor> state_tensors(const Program& program, const std::vector<void*>& addresses, Backend& backend,
                                         std::int64_t steps) {
  const void* const address = state_address(program, addresses);
  if (address == nullptr) return {};
  StepState state;
  std::memcpy(&state, backend.host_view(address, sizeof state), sizeof state);
  const auto step = std::bit_cast<Halves>(steps);
  std::vector<model::Tensor> tensors{{kStep, {2}, std::vector<std::int32_t>(step.begin(), step.end())},
                                     {kLearningRate, {1}, std::vector<float>{state.learning_rate}}};
  if (has_beta_powers(program)) {
    const auto one = std::bit_cast<Halves>(state.beta1_power), two = std::bit_cast<Halves>(state.beta2_power);
    tensors.push_back({kBetaPowers, {2, 2}, std::vector<std::int32_t>{one[0], one[1], two[0], two[1]}});
  }
  for (const StateBuffer& buffer : state_buffers(program)) {
    const std::int64_t count = model::element_count(buffer.shape);
    const auto* const values = static_cast<const float*>(
        backend.host_view(addresses[static_cast<std::size_t>(buffer.buffer)], count * kFloat));
    tensors.push_back({buffer.name, buffer.shape, std::vector<float>(values, values + count)});
  }
  return tensors;
}

StepState checked_state(const Program& program, const std::vector<void*>& addresses,
                        const std::vector<model::Tensor>& state) {
  const bool keeps_state = state_address(program, addresses) != nullptr;
  const std::vector<StateBuffer> buffers = state_buffers(program);
  check_names(buffers, state, keeps_state, has_beta_powers(program));
  if (!keeps_state) return {};
  const StepState found = read_step_state(state, has_beta_powers(program));
  for (const StateBuffer& buffer : buffers) expect_fits(kWhat, state, buffer.name, buffer.shape);
  return found;
}

void write_state(const Program& program, const std::vector<void*>& addresses, Backend& backend,
                 const StepState& step_state, const std::vector<model::Tensor>& state) {
  if (void* const address = state_address(program, addresses); address != nullptr)
    backend.write(address, &step_state, sizeof step_state);
  for (const StateBuffer& buffer : state_buffers(program)) {
    const auto& values = std::get<std::vector<float>>(model::tensor_named(state, buffer.name).values);
    backend.write(addresses[static_cast<std::size_t>(buffer.buffer)], values.data(), std::ssize(values) * kFloat);
  }
}

}  // namespace regatta::engine
