#include "regatta/model/checkpoints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <variant>

#include "model/safetensors_header.hpp"
#include "regatta/base/crc32c.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"

namespace regatta::model {
namespace {

constexpr const char* state_name = "state";
constexpr const char* checksum_name = "checksum";

/// In any order: a flipped bit would give other figures, and nobody would see why.
std::int32_t checksum_of(const std::vector<Tensor>& tensors) {
  std::uint32_t sum = 0;
  for (const Tensor& tensor : tensors) {
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

/// As Python's zlib.crc32(): no CRC-32C.
void take(uLong& crc, std::string_view bytes) {
  crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

/// A tuple as Python writes it: "()", "(3,)", "(3, 4)".
std::string tuple_text(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

/// As numpy names the type.
std::string_view type_text(const std::string& dtype) {
  static const std::map<std::string, std::string_view> names = {
      {"F32", "<f4"}, {"F64", "<f8"}, {"I32", "<i4"}, {"I64", "<i8"}};
  const auto found = names.find(dtype);
  if (found == names.end()) throw InputError(fmt::format("it holds numbers of the type {}", dtype));
  return found->second;
}

/// The checksum of regatta_worker/checkpoint.py.
std::string python_checksum(const UniqueFd& fd, const SafetensorsHeader& header, const std::string& state) {
  constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 20;
  uLong crc = ::crc32_z(0, Z_NULL, 0);
  take(crc, state);
  std::map<std::string, const HeaderEntry*> by_name;
  for (const HeaderEntry& entry : header.entries) by_name.emplace(entry.name, &entry);
  std::string piece;
  for (const auto& [name, entry] : by_name) {
    take(crc, fmt::format("{} {} {}", name, type_text(entry->dtype), tuple_text(entry->shape)));
    for (std::uint64_t at = entry->begin; at < entry->end; at += piece.size()) {
      piece.resize(std::min(piece_bytes, entry->end - at));
      read_at(fd, header.data_offset + at, std::as_writable_bytes(std::span(piece)));
      take(crc, piece);
    }
  }
  return fmt::format("{:08x}", crc);
}

/// The name that the file had when the state was written.
std::string file_in_state(const std::string& state) {
  const Json json = parse_strictly(state);
  if (!json.is_object()) throw InputError("its state is no object");
  return member(json, "file", Json::value_t::string).get<std::string>();
}

void expect_python_checkpoint(const std::filesystem::path& file, const UniqueFd& fd, const SafetensorsHeader& header) {
  const auto state = header.about.find(state_name);
  if (state == header.about.end()) throw InputError("its state is missing");
  if (header.about.at(checksum_name) != python_checksum(fd, header, state->second))
    throw InputError("its checksum does not match");
  expect_run_of(file, file_in_state(state->second));
}

void expect_native_checkpoint(const std::filesystem::path& file) {
  const std::vector<Tensor> tensors = read_safetensors(file);
  expect_sealed(tensors);
  const std::string state = state_text(tensors);
  const std::size_t begin = state.find('\n');
  const std::size_t end = begin == std::string::npos ? begin : state.find('\n', begin + 1);
  if (end == std::string::npos) throw InputError("its state is cut short");
  expect_run_of(file, std::string_view(state).substr(begin + 1, end - begin - 1));
}

}  // namespace

Tensor state_tensor(const std::string& text) {
  std::vector<std::int32_t> words((text.size() + sizeof(std::int32_t) - 1) / sizeof(std::int32_t) + 1);
  words.front() = static_cast<std::int32_t>(text.size());  // the length comes first
  if (!text.empty()) std::memcpy(words.data() + 1, text.data(), text.size());
  const auto count = static_cast<std::int64_t>(words.size());
  return {state_name, {count}, std::move(words)};
}

std::string state_text(const std::vector<Tensor>& tensors) {
  const auto* words = std::get_if<std::vector<std::int32_t>>(&tensor_named(tensors, state_name).values);
  if (words == nullptr || words->empty()) throw InputError("its state is no text");
  const auto size = static_cast<std::size_t>(words->front());
  if (words->front() < 0 || size > (words->size() - 1) * sizeof(std::int32_t))
    throw InputError("its state is cut short");
  return {reinterpret_cast<const char*>(words->data() + 1), size};
}

void seal(std::vector<Tensor>& tensors) {
  tensors.push_back({checksum_name, {1}, std::vector<std::int32_t>{checksum_of(tensors)}});
}

void expect_sealed(const std::vector<Tensor>& tensors) {
  const auto* numbers = std::get_if<std::vector<std::int32_t>>(&tensor_named(tensors, checksum_name).values);
  if (numbers == nullptr || numbers->size() != 1 || numbers->front() != checksum_of(tensors))
    throw InputError("its checksum does not match");
}

void expect_run_of(const std::filesystem::path& file, std::string_view run) {
  if (run != file.filename().string()) throw InputError(fmt::format("it is the checkpoint of another run, {}", run));
}

void expect_checkpoint(const std::filesystem::path& file) {
  const UniqueFd fd = open_regular_file(file);
  const std::uint64_t bytes = file_size(fd, file, max_safetensors_bytes);
  try {
    const SafetensorsHeader header = read_safetensors_header(fd, bytes);
    if (header.about.contains(checksum_name))
      expect_python_checkpoint(file, fd, header);
    else
      expect_native_checkpoint(file);
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}' cannot be used: {}", file.string(), error.what()));
  }
}

}  // namespace regatta::model
