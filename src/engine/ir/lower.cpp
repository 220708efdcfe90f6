#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "engine/ir/ir.hpp"
#include "engine/ir/program.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {

namespace {

Program lower_matmul(const model::Matmul& matmul) {
  if (matmul.size < 1)
    throw InputError(fmt::format("{}: size is {} (it must be at least 1)", matmul.name, matmul.size));
  Program program;
  const std::int64_t count = checked_product({matmul.size, matmul.size});
  const BufferIndex a = add_buffer(program, Role::input_x, count);
  const BufferIndex b = add_buffer(program, Role::input_y, count);
  const BufferIndex c = add_buffer(program, Role::output, count);
  program.nodes.push_back({make_op(MatMul{matmul.size, matmul.size, matmul.size}, {a, b, c}), {}});
  program.x_count = program.y_float_count = program.output_count = count;
  return program;
}

/// y = x^2 forward, dy = 1, dx = 2 x dy: nothing is folded, whatever mode.
Program lower_scalar_gradient() {
  Program program;
  const BufferIndex x = add_buffer(program, Role::input_x, 1);
  const BufferIndex y = add_buffer(program, Role::temporary, 1);
  const BufferIndex dy = add_buffer(program, Role::temporary, 1);
  const BufferIndex dx = add_buffer(program, Role::output, 1);
  program.nodes.push_back(
      {make_op(Square{}, {x, y}), {make_op(Fill{1, 1.0F}, {dy}), make_op(SquareGradient{}, {x, dy, dx})}});
  program.x_count = program.output_count = 1;
  return program;
}

bool is_tree_size(std::int64_t count) {
  return count >= 1 && count <= 64 && std::has_single_bit(static_cast<std::uint64_t>(count));
}

void check_shards(const Settings& settings) {
  for (const auto& [name, value] : {std::pair{"shards", settings.shards}, std::pair{"ranks", settings.ranks}}) {
    if (is_tree_size(value)) continue;
    throw InputError(fmt::format("{} is {} (sums follow a binary tree); take 1, 2, 4, 8, 16, 32 or 64", name, value));
  }
  if (!is_sharded(settings)) return;
  if (settings.batch % settings.shards != 0) {
    throw InputError(fmt::format("batch is {} of a rank (it is cut into {} equal shards); take a multiple of that",
                                 settings.batch, settings.shards));
  }
}

void check(const Settings& settings) {
  if (settings.batch < 1) throw InputError(fmt::format("batch is {} (it must be at least 1)", settings.batch));
  if (settings.accumulate < 1)
    throw InputError(fmt::format("accumulate is {} (it must be at least 1)", settings.accumulate));
  for (const auto& [name, value] :
       {std::pair{"weight_decay", settings.weight_decay}, std::pair{"clip_norm", settings.clip_norm}}) {
    if (value >= 0 && std::isfinite(value)) continue;
    throw InputError(fmt::format("{} is {} (it must be finite and at least 0)", name, value));
  }
  check_shards(settings);
}

}  // namespace

bool is_sharded(const Settings& settings) {
  return settings.work == Work::train && (settings.shards > 1 || settings.ranks > 1);
}

Settings shard_settings(const Settings& settings) {
  Settings shard = settings;
  if (is_sharded(settings)) shard.batch /= settings.shards;
  return shard;
}

Program lower(const model::Model& model, const Settings& settings) {
  check(settings);
  if (const auto* network = std::get_if<model::Network>(&model)) {
    const bool is_part = is_sharded(settings);
    Program program =
        lower_network(*network, shard_settings(settings), is_part ? settings.batch * settings.ranks : settings.batch);
    if (is_part && settings.batch_statistics == BatchStatistics::batch) share_moments(program);
    return program;
  }
  if (const auto* matmul = std::get_if<model::Matmul>(&model)) return lower_matmul(*matmul);
  if (std::holds_alternative<model::ScalarGradient>(model)) return lower_scalar_gradient();
  if (const auto* user = std::get_if<model::UserModel>(&model)) {
    throw InputError(
        fmt::format("{}: the native engine has no Python (it builds models from layers); use torch, tensorflow or jax",
                    user->name));
  }
  return {};  // Noop
}

}  // namespace regatta::engine
