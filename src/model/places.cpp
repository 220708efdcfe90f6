#include "regatta/model/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view roots[] = {"layers", "optimizer", "args"};

/// Takes the part in front of the first dot away from `rest`.
std::string_view take_part(std::string_view& rest) {
  const auto dot = rest.find('.');
  const std::string_view part = rest.substr(0, dot);
  rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  return part;
}

Json* child_of(Json& json, std::string_view part) {
  if (json.is_object()) {
    const auto found = json.find(std::string(part));
    return found == json.end() ? nullptr : &*found;
  }
  std::size_t at = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), at);
  const bool is_written_once = part == "0" || !part.starts_with('0');  // 00 is no second name of 0
  const bool is_position =
      json.is_array() && is_written_once && error == std::errc{} && end == part.data() + part.size();
  return is_position && at < json.size() ? &json[at] : nullptr;
}

/// The value at the place, or null if there is none, or a list or an object.
Json* find_place(Json& json, std::string_view place) {
  std::string_view rest = place;
  const std::string_view root = take_part(rest);
  Json* at = std::ranges::find(roots, root) == std::end(roots) ? nullptr : child_of(json, root);
  if (at != nullptr && root == "optimizer" && at->is_object() && at->size() == 1) {
    std::string_view after = rest;
    if (child_of(*at, take_part(after)) == nullptr) at = &at->front();
  }
  while (at != nullptr && !rest.empty()) at = child_of(*at, take_part(rest));
  return at == nullptr || at->is_structured() ? nullptr : at;
}

Json written(const Model& model) { return Json::parse(to_json(model)); }

}  // namespace

bool is_place(std::string_view text) {
  const std::string_view root = take_part(text);
  return !text.empty() && std::ranges::find(roots, root) != std::end(roots);
}

bool has_place(const Model& model, std::string_view place) {
  Json json = written(model);
  return find_place(json, place) != nullptr;
}

Model with_values(const Model& model, const std::vector<PlacedValue>& values) {
  Json json = written(model);
  for (const auto& [place, value] : values) {
    Json* const at = find_place(json, place);
    if (at == nullptr) throw InputError(fmt::format("{} has no place {}", name_of(model), place));
    *at = Json::parse(value);
  }
  return parse_model(json.dump(), name_of(model));
}

}  // namespace regatta::model
