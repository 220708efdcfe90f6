#include "engine/run/storage.hpp"

#include <algorithm>

namespace regatta::engine {

namespace {

bool in_flat_arena(Role role) {
  return role == Role::parameter || role == Role::gradient || role == Role::gradient_sum ||
         role == Role::first_moment || role == Role::second_moment;
}

bool is_moment(Role role) { return role == Role::first_moment || role == Role::second_moment; }

bool outlives_step(Role role) { return role != Role::temporary && role != Role::input_x && role != Role::input_y; }

}  // namespace

Storage::Storage(const Program& program, Backend& backend, bool has_moments)
    : backend_(backend), learning_rate_(program.learning_rate), addresses_(program.buffers.size()) {
  try {
    blocks_.reserve(program.buffers.size());
    for (std::size_t i = 0; i < program.buffers.size(); ++i) {
      const BufferSpec& buffer = program.buffers[i];
      if (!outlives_step(buffer.role) || (is_moment(buffer.role) && !has_moments)) continue;
      const bool flat = in_flat_arena(buffer.role);
      auto block = std::find_if(blocks_.begin(), blocks_.end(),
                                [&](const Block& other) { return flat && other.role == buffer.role; });
      if (block == blocks_.end()) {
        const std::int64_t bytes = flat ? program.flat_bytes : buffer.bytes;
        blocks_.push_back({backend.allocate(bytes), bytes, buffer.role});
        bytes_ += bytes;
        block = blocks_.end() - 1;
      }
      addresses_[i] = static_cast<char*>(block->memory) + buffer.offset;
    }
    for (const Block& block : blocks_) backend.write(block.memory, nullptr, block.bytes);
    clear_state();
  } catch (...) {
    for (const Block& block : blocks_) backend.release(block.memory);
    throw;
  }
}

Storage::~Storage() {
  for (const Block& block : blocks_) backend_.release(block.memory);
}

void Storage::clear_state() {
  for (const Block& block : blocks_) {
    StepState fresh;
    fresh.learning_rate = learning_rate_;
    if (block.role == Role::step_state) backend_.write(block.memory, &fresh, sizeof fresh);
    if (block.role != Role::step_state && block.role != Role::parameter)
      backend_.write(block.memory, nullptr, block.bytes);
  }
}

}  // namespace regatta::engine
