#include "engine/run/optimizer_slices.hpp"

#include <algorithm>
#include <utility>

#include "engine/ir/ir.hpp"
#include "engine/run/optimizer_state.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {

namespace {

constexpr std::int64_t kFloat = sizeof(float);

std::int64_t bytes_of(std::size_t floats) { return static_cast<std::int64_t>(floats) * kFloat; }

constexpr BufferIndex ParameterBuffers::*kMoments[] = {&ParameterBuffers::first_moment,
                                                       &ParameterBuffers::second_moment};

/// The program's update, of so many parameters that lie one behind the other. All have the same one.
Op update_of(const Program& program, std::size_t count) {
  Op op = program.updates.back();
  std::visit(
      [&](auto& update) {
        if constexpr (requires { update.clips; }) update.count = static_cast<std::int64_t>(count);
      },
      op.spec);
  return op;
}

}  // namespace

bool is_optimizer_sharded(const Settings& settings) {
  return settings.work == Work::train && settings.ranks > 1 && settings.optimizer_state == OptimizerState::sharded;
}

OptimizerSlices::OptimizerSlices(const StepContext& context, exchange::Arena arena)
    : context_(context), settings_(context.settings), arena_(std::move(arena)), shows_moments_(arena_.states > 1) {
  const Program& program = context.program;
  expect(!program.parameters.empty(), "an optimizer has parameters");
  settings_.fusion = false;  // each slice is one update
  settings_.gradient_ready = nullptr;
  cut(static_cast<std::size_t>(settings_.first_sample / settings_.batch));
  for (const auto moment : kMoments) moments_ += program.parameters.front().*moment != kNoBuffer ? 1 : 0;
  if (shows_moments_) return;  // their memory is the communicator's
  Backend& backend = context.backend;
  for (std::size_t i = 0; i < moments_; ++i)
    kept_.emplace_back(static_cast<float*>(backend.allocate(bytes_of(kept_floats_))), Release{&backend});
  clear();
  make_update();
}

/// Parameters of a bucket lie in flat arenas as in the exchange's: one behind the other, each on a whole line.
void OptimizerSlices::cut(std::size_t rank) {
  const std::vector<std::size_t>& places = arena_.tensors;
  const std::size_t end = arena_.awaited + context_.program.parameters.size();
  for (std::size_t tensor = arena_.awaited; tensor < end; ++tensor) {
    const ParameterBuffers& parameter = context_.program.parameters[end - 1 - tensor];
    const BufferSpec& spec = context_.program.buffers[static_cast<std::size_t>(parameter.value)];
    const std::size_t bucket = arena_.bucket_of[tensor];
    if (parts_.empty() || parts_.back().bucket != bucket)
      parts_.push_back({bucket, places[tensor], floats_of(spec.offset), 0, 0, 0, 0});
    Part& part = parts_.back();
    expect(places[tensor] - part.first == floats_of(spec.offset) - part.flat, "both arenas pad alike");
    part.count = places[tensor] - part.first + floats_of(spec.bytes);
  }
  for (Part& part : parts_) {
    const std::size_t slice = arena_.buckets[part.bucket].slice;
    part.begin = std::min(rank * slice, part.count);
    part.end = std::min(part.begin + slice, part.count);
    part.kept = kept_floats_;
    kept_floats_ += floats_of(aligned(bytes_of(part.end - part.begin)));
  }
}

float* OptimizerSlices::flat(Role role) const {
  void* const memory = context_.find(role);
  expect(memory != nullptr, "a training step has parameters and gradients");
  return static_cast<float*>(memory);
}

float* OptimizerSlices::moments(std::size_t which, const Part& part) const {
  if (shows_moments_) return communicator_->own_state(1 + which, part.bucket).data();
  return kept_[which].get() + part.kept;
}

void OptimizerSlices::make_update() {
  update_.reset();
  program_of_update_ = {};
  addresses_of_update_.clear();
  const auto add = [&](Role role, std::int64_t bytes, void* memory) {
    program_of_update_.buffers.push_back({role, bytes, 0});
    addresses_of_update_.push_back(memory);
    return static_cast<BufferIndex>(addresses_of_update_.size()) - 1;
  };
  const BufferIndex state = add(Role::step_state, sizeof(StepState), context_.find(Role::step_state));
  for (const Part& part : parts_) {
    const std::size_t count = part.end - part.begin;
    if (count == 0) continue;
    const std::size_t at = part.flat + part.begin;
    float* const gradients = reads_sums_ ? const_cast<float*>(communicator_->sums().data()) + part.first + part.begin
                                         : flat(Role::gradient) + at;
    Op op = update_of(context_.program, count);
    for (BufferIndex& operand : op.operands) {
      if (operand == kNoBuffer) continue;
      const Role role = context_.program.buffers[static_cast<std::size_t>(operand)].role;
      if (role == Role::parameter) operand = add(role, bytes_of(count), flat(role) + at);
      if (role == Role::gradient) operand = add(role, bytes_of(count), gradients);
      if (role == Role::first_moment) operand = add(role, bytes_of(count), moments(0, part));
      if (role == Role::second_moment) operand = add(role, bytes_of(count), moments(1, part));
      if (role == Role::step_state) operand = state;
    }
    program_of_update_.updates.push_back(op);
  }
  update_ = make_executor({program_of_update_, addresses_of_update_, context_.backend, settings_});
}

void OptimizerSlices::join(exchange::Communicator& communicator, bool reads_sums) {
  const exchange::Arena& arena = communicator.arena();
  expect(arena.buckets == arena_.buckets && arena.states == arena_.states, "ranks join by the session's own arena");
  communicator_ = &communicator;
  reads_sums_ = reads_sums;
  if (shows_moments_) clear();
  make_update();
}

void OptimizerSlices::update() {
  expect(update_ != nullptr, "ranks that show their moments step together");
  update_->run({});
}

void OptimizerSlices::exchange(double patience_seconds) {
  float* const weights = flat(Role::parameter);
  for (const Part& part : parts_) {
    const std::span<float> shown = communicator_->own_state(0, part.bucket);
    std::copy_n(weights + part.flat + part.begin, part.end - part.begin, shown.data());
    communicator_->updated(part.bucket);
  }
  const float* const shown = communicator_->states(0).data();
  for (const Part& part : parts_) {
    communicator_->wait_for_updates(part.bucket, patience_seconds);
    std::copy(shown + part.first, shown + part.first + part.begin, weights + part.flat);
    std::copy(shown + part.first + part.end, shown + part.first + part.count, weights + part.flat + part.end);
  }
}

void OptimizerSlices::clip_others() const {
  const float factor = static_cast<const StepState*>(context_.find(Role::step_state))->gradient_scale;
  float* const gradients = flat(Role::gradient);
  const auto scale = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) gradients[i] *= factor;
  };
  for (const Part& part : parts_) {
    scale(part.flat, part.flat + part.begin);
    scale(part.flat + part.end, part.flat + part.count);
  }
}

void OptimizerSlices::clear() {
  if (shows_moments_ && communicator_ == nullptr) return;  // join() does
  for (std::size_t which = 0; which < moments_; ++which) {
    for (const Part& part : parts_) std::fill_n(moments(which, part), part.end - part.begin, 0.0F);
  }
}

OptimizerSlices::WholeMoments OptimizerSlices::whole_zeros() const {
  WholeMoments whole{{}, context_.storage.addresses()};
  for (std::size_t which = 0; which < moments_; ++which) {
    whole.floats.emplace_back(floats_of(context_.program.flat_bytes));
    for (const ParameterBuffers& parameter : context_.program.parameters) {
      const auto buffer = static_cast<std::size_t>(parameter.*kMoments[which]);
      whole.addresses[buffer] = whole.floats.back().data() + floats_of(context_.program.buffers[buffer].offset);
    }
  }
  return whole;
}

OptimizerSlices::WholeMoments OptimizerSlices::whole() const {
  expect(moments_ == 0 || (shows_moments_ && communicator_ != nullptr),
         "the optimizer's state is asked for where ranks show theirs");
  WholeMoments whole = whole_zeros();
  for (std::size_t which = 0; which < moments_; ++which) {
    const float* const shown = communicator_->states(1 + which).data();
    for (const Part& part : parts_) std::copy_n(shown + part.first, part.count, whole.floats[which].data() + part.flat);
  }
  return whole;
}

void OptimizerSlices::take(const WholeMoments& whole) {
  expect(!shows_moments_ || communicator_ != nullptr, "ranks that show their moments have joined the others");
  for (std::size_t which = 0; which < moments_; ++which) {
    for (const Part& part : parts_)
      std::copy_n(whole.floats[which].data() + part.flat + part.begin, part.end - part.begin, moments(which, part));
  }
}

std::vector<model::Tensor> OptimizerSlices::state(std::int64_t steps) const {
  return state_tensors(context_.program, whole().addresses, context_.backend, steps);
}

void OptimizerSlices::restore(const StepState& step_state, const std::vector<model::Tensor>& state) {
  const WholeMoments moments = whole_zeros();
  write_state(context_.program, moments.addresses, context_.backend, step_state, state);
  take(moments);
}

std::int64_t OptimizerSlices::bytes() const { return static_cast<std::int64_t>(kept_.size()) * bytes_of(kept_floats_); }

}  // namespace regatta::engine
