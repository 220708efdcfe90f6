#include "checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include "regatta/base/crc32c.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"

namespace regatta::worker {
namespace {

constexpr std::string_view weights_prefix = "weights/";
constexpr std::string_view optimizer_prefix = "optimizer/";
constexpr std::string_view best_prefix = "best/";
constexpr const char* state_name = "state";
constexpr const char* checksum_name = "checksum";

/// Text as int32 numbers, its length first: safetensors here hold no bytes.
model::Tensor tensor_of(const std::string& text) {
  std::vector<std::int32_t> words((text.size() + sizeof(std::int32_t) - 1) / sizeof(std::int32_t) + 1);
  words.front() = static_cast<std::int32_t>(text.size());
  if (!text.empty()) std::memcpy(words.data() + 1, text.data(), text.size());
  const auto count = static_cast<std::int64_t>(words.size());
  return {state_name, {count}, std::move(words)};
}

std::string text_of(const model::Tensor& tensor) {
  const auto* words = std::get_if<std::vector<std::int32_t>>(&tensor.values);
  if (words == nullptr || words->empty()) throw InputError("its state is no text");
  const auto size = static_cast<std::size_t>(words->front());
  if (words->front() < 0 || size > (words->size() - 1) * sizeof(std::int32_t))
    throw InputError("its state is cut short");
  return {reinterpret_cast<const char*>(words->data() + 1), size};
}

/// The run is that of the file's name, which the launcher makes of all that decides what is trained. A file under
/// another name holds another run.
std::string run_of(const std::filesystem::path& path) { return path.filename().string(); }

std::string state_text(const RunState& state, const std::string& run) {
  return fmt::format("{} {} {} {} {} {} {} {}\n{}\n{}", state.step, state.loss_sum, state.loss_count,
                     state.train_seconds, state.evaluate_seconds, state.without_gain, state.gained,
                     state.is_over ? 1 : 0, run, sweep::to_json(state.learned));
}

/// The checksum of all tensors, in any order: a flipped bit would give other figures, and nobody would see why.
std::int32_t checksum_of(const std::vector<model::Tensor>& tensors) {
  std::uint32_t sum = 0;
  for (const model::Tensor& tensor : tensors) {
    if (tensor.name == checksum_name) continue;
    const std::string begin =
        fmt::format("{} {} {}\n", tensor.name, tensor.values.index(), fmt::join(tensor.shape, ","));
    sum += std::visit(
        [&](const auto& values) {
          const auto bytes = std::as_bytes(std::span(values));
          return crc32c({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, crc32c(begin));
        },
        tensor.values);
  }
  return static_cast<std::int32_t>(sum);
}

void expect_whole(const std::vector<model::Tensor>& tensors) {
  const model::Tensor& kept = model::tensor_named(tensors, checksum_name);
  const auto* numbers = std::get_if<std::vector<std::int32_t>>(&kept.values);
  if (numbers == nullptr || numbers->size() != 1 || numbers->front() != checksum_of(tensors))
    throw InputError("its checksum does not match");
}

double real_in(std::istream& in) {
  std::string word;
  in >> word;
  try {
    return std::stod(word);  // "nan" and "inf" too
  } catch (const std::exception&) {
    throw InputError("its state holds '" + word + "' where a number stands");
  }
}

RunState parse_state(const std::string& text, const std::string& run) {
  const std::size_t end = text.find('\n');
  const std::size_t run_end = text.find('\n', end + 1);
  if (end == std::string::npos || run_end == std::string::npos) throw InputError("its state is cut short");
  if (const std::string own = text.substr(end + 1, run_end - end - 1); own != run)
    throw InputError("it is the checkpoint of another run, " + own);
  std::istringstream in(text.substr(0, end));
  RunState state;
  int over = 0;
  in >> state.step;
  state.loss_sum = real_in(in);
  in >> state.loss_count;
  state.train_seconds = real_in(in);
  state.evaluate_seconds = real_in(in);
  in >> state.without_gain;
  state.gained = real_in(in);
  in >> over;
  if (!in || state.step < 0) throw InputError("its state holds too few numbers");
  state.is_over = over != 0;
  state.learned = sweep::parse_learned(std::string_view(text).substr(run_end + 1));
  return state;
}

void add(std::vector<model::Tensor>& all, std::string_view prefix, const std::vector<model::Tensor>& tensors) {
  for (const model::Tensor& tensor : tensors) {
    all.push_back(tensor);
    all.back().name = std::string(prefix) + tensor.name;
  }
}

void take(std::vector<model::Tensor>& into, std::string_view prefix, const model::Tensor& tensor) {
  if (!tensor.name.starts_with(prefix)) return;
  into.push_back(tensor);
  into.back().name = tensor.name.substr(prefix.size());
}

RunState state_in(const std::vector<model::Tensor>& all, const std::filesystem::path& path) {
  try {
    expect_whole(all);
    RunState state = parse_state(text_of(model::tensor_named(all, state_name)), run_of(path));
    for (const model::Tensor& tensor : all) {
      take(state.weights, weights_prefix, tensor);
      take(state.optimizer, optimizer_prefix, tensor);
      take(state.best, best_prefix, tensor);
    }
    return state;
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}' cannot be used: {}", path.string(), error.what()));
  }
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const RunState& state) {
  std::vector<model::Tensor> all = {tensor_of(state_text(state, run_of(path)))};
  add(all, weights_prefix, state.weights);
  add(all, optimizer_prefix, state.optimizer);
  add(all, best_prefix, state.best);
  all.push_back({checksum_name, {1}, std::vector<std::int32_t>{checksum_of(all)}});
  model::write_safetensors(path, all);
}

std::optional<RunState> read_checkpoint(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    return state_in(model::read_safetensors(path), path);
  } catch (const InputError& error) {
    log::warn(fmt::format("{} (the run begins again)", error.what()));
    return std::nullopt;
  }
}

}  // namespace regatta::worker
