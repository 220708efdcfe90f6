// The settings in REGATTA_EMULATED_CUDA and CUDA_VISIBLE_DEVICES.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/cuda/runtime/machine.hpp"

namespace regatta::cuda_fakes {
namespace {

[[noreturn]] void refuse_word(const std::string& word) {
  std::fprintf(stderr,
               "REGATTA_EMULATED_CUDA: \"%s\" is not understood; tests/support/cuda/control.hpp lists its words\n",
               word.c_str());
  std::exit(2);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::int64_t number(const std::string& text, const std::string& word) {
  char* end = nullptr;
  const std::int64_t value = std::strtoll(text.c_str(), &end, 0);
  const std::string unit = end;
  if (end == text.c_str()) refuse_word(word);
  if (unit.empty()) return value;
  if (unit == "KiB") return value << 10;
  if (unit == "MiB") return value << 20;
  if (unit == "GiB") return value << 30;
  refuse_word(word);
}

void set_order(Settings& settings, const std::string& key, const std::string& value, const std::string& word) {
  Orders& orders = settings.orders;
  if (key == "streams") {
    if (value == "early") {
      orders.streams = StreamOrder::early;
    } else if (value == "late") {
      orders.streams = StreamOrder::late;
    } else if (value == "random") {
      orders.streams = StreamOrder::random;
    } else {
      refuse_word(word);
    }
    return;
  }
  if (value == "forward") {
    orders.threads = ThreadOrder::forward;
  } else if (value == "reverse") {
    orders.threads = ThreadOrder::reverse;
  } else if (value == "random") {
    orders.threads = ThreadOrder::random;
  } else {
    refuse_word(word);
  }
}

void set_word(Settings& settings, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  const auto parts = split(value, ':');
  if (key == "streams" || key == "threads") {
    set_order(settings, key, value, word);
  } else if (key == "seed") {
    settings.orders.seed = static_cast<std::uint64_t>(number(value, word));
  } else if (key == "devices") {
    settings.devices = static_cast<std::int32_t>(number(value, word));
    if (settings.devices < 0 || settings.devices > 8) refuse_word(word);
  } else if (key == "memory") {
    settings.memory_bytes = number(value, word);
  } else if (key == "multiprocessors") {
    settings.multiprocessors = static_cast<std::int32_t>(number(value, word));
  } else if (key == "protect" && (value == "on" || value == "sampled" || value == "off")) {
    settings.protection = value == "on" ? Protection::on : value == "off" ? Protection::off : Protection::sampled;
  } else if (key == "no_driver") {
    settings.driver = 0;
  } else if (key == "old_driver") {
    settings.driver = 12040;
  } else if (key == "fail" && parts.size() >= 2 && parts.size() <= 3) {
    const auto after = parts.size() == 3 ? number(parts[2], word) : 0;
    const Order order{static_cast<std::int32_t>(number(parts[1], word)), static_cast<std::int32_t>(after)};
    settings.faults.emplace(parts[0], order);
  } else if (key == "hang" && !parts.empty() && parts.size() <= 2) {
    settings.hangs.emplace(parts[0], parts.size() == 2 ? static_cast<std::int32_t>(number(parts[1], word)) : 0);
  } else {
    refuse_word(word);
  }
}

/// As the driver reads it: indices or beginnings of UUIDs, up to the first that is no device.
void restrict_devices(Settings& settings, const std::string& list) {
  settings.is_restricted = true;
  for (const std::string& word : split(list, ',')) {
    std::int32_t chosen = -1;
    for (std::int32_t i = 0; i < settings.devices; ++i) {
      const bool is_uuid = word.rfind("GPU-", 0) == 0 && uuid_text(i).rfind(word, 0) == 0;
      if (is_uuid || word == std::to_string(i)) chosen = i;
    }
    if (chosen < 0) return;
    settings.visible.push_back(chosen);
  }
}

}  // namespace

Settings settings_from_environment() {
  Settings settings;
  const char* const told = std::getenv("REGATTA_EMULATED_CUDA");
  if (!told) return settings;
  for (const std::string& word : split(told, ',')) set_word(settings, word);
  // A process that is told nothing of the emulated devices is told nothing of them by a batch system either.
  if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES")) restrict_devices(settings, visible);
  return settings;
}

}  // namespace regatta::cuda_fakes
