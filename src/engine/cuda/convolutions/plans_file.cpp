#include "engine/cuda/convolutions/plans_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <string_view>

#include "regatta/base/cache_file.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr const char* kNoKnobs = "-";
constexpr std::string_view kWay = "own:";  // in the place of an engine's number, and the way

template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// "2=4,13=1"
std::optional<std::vector<Knob>> parse_knobs(const std::string& text) {
  std::vector<Knob> knobs;
  if (text == kNoKnobs) return knobs;
  std::istringstream all(text);
  for (std::string one; std::getline(all, one, ',');) {
    const std::size_t middle = one.find('=');
    Knob knob{};
    if (middle == std::string::npos) return {};
    const std::string_view view = one;
    if (!parse(view.substr(0, middle), knob.type) || !parse(view.substr(middle + 1), knob.value)) return {};
    if (knob.type < 0) return {};
    knobs.push_back(knob);
  }
  if (knobs.empty()) return {};
  return knobs;
}

std::string text_of(const std::vector<Knob>& knobs) {
  std::string text;
  for (const Knob& knob : knobs) text += fmt::format("{}{}={}", text.empty() ? "" : ",", knob.type, knob.value);
  return text.empty() ? kNoKnobs : text;
}

/// "12", an engine; "own:3", a way.
bool parse_computer(const std::string& text, PlanChoice& choice) {
  if (!text.starts_with(kWay)) return parse(std::string_view(text), choice.engine.engine) && choice.engine.engine >= 0;
  int way = 0;
  if (!parse(std::string_view(text).substr(kWay.size()), way) || way < 0) return false;
  choice.way = way;
  return true;
}

/// Lines of "engine widened knobs key"; what is no such line is skipped: the file is a cache.
std::map<std::string, PlanChoice> read(const std::string& path) {
  std::map<std::string, PlanChoice> known;
  for (const std::string& line : cached_lines(path)) {
    std::istringstream words(line);
    std::string engine, is_widened, knobs, key;
    if (!(words >> engine >> is_widened >> knobs) || !std::getline(words >> std::ws, key) || key.empty()) continue;
    PlanChoice choice;
    const auto parsed = parse_knobs(knobs);
    if (!parse_computer(engine, choice) || !parsed) continue;
    if (is_widened != "0" && is_widened != "1") continue;
    choice.engine.knobs = *parsed;
    choice.widened = is_widened == "1";
    known[key] = choice;
  }
  return known;
}

}  // namespace

PlansFile::PlansFile(std::string path) : path_(std::move(path)), known_(read(path_)) {}

std::optional<PlanChoice> PlansFile::find(const std::string& key) const {
  const auto found = known_.find(key);
  if (found == known_.end()) return {};
  return found->second;
}

PlanChoice PlansFile::add(const std::string& key, const PlanChoice& choice) {
  std::map<std::string, PlanChoice> all = read(path_);
  if (useless_.erase(key) > 0) all.erase(key);
  const auto [place, is_new] = all.emplace(key, choice);  // an earlier entry stays: all processes share it
  known_[key] = place->second;
  if (path_.empty() || !is_new) return place->second;
  std::string text;
  for (const auto& [name, kept] : all) {
    const std::string engine = kept.way ? fmt::format("{}{}", kWay, *kept.way) : std::to_string(kept.engine.engine);
    text += fmt::format("{} {} {} {}\n", engine, kept.widened ? 1 : 0, text_of(kept.engine.knobs), name);
  }
  write_cache(path_, text);
  return choice;
}

void PlansFile::forget(const std::string& key) {
  if (known_.erase(key) > 0) useless_.insert(key);
}

}  // namespace regatta::engine::cuda
