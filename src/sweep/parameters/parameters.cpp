#include "regatta/sweep/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "regatta/base/error.hpp"

namespace regatta::sweep {

const ParamInfo& info(Param param) { return parameter_table()[static_cast<std::size_t>(param)]; }

std::optional<Param> find_param(std::string_view name) {
  const auto& table = parameter_table();
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const ParamInfo& candidate) { return candidate.name == name; });
  if (row == table.end()) return std::nullopt;
  return row->param;
}

EngineName split_engine(std::string_view text) {
  const auto at = text.find('@');
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

const std::string& text_of(const Parameters& parameters, Param param) {
  const auto* text = std::get_if<std::string>(&parameters[param]);
  if (text == nullptr) throw InternalError(fmt::format("the parameter {} holds no text here", info(param).name));
  return *text;
}

std::string_view engine_of(const Parameters& parameters) {
  return split_engine(text_of(parameters, Param::engine)).engine;
}

bool saves_work(const Parameters& parameters) {
  return parameters[Param::algorithm] == Value(std::string("fft")) ||
         parameters[Param::rewrite] == Value(std::string("algebraic"));
}

std::optional<std::int64_t> batch_of(const Parameters& parameters) {
  const auto* batch = std::get_if<std::int64_t>(&parameters[Param::batch]);
  return batch == nullptr ? std::nullopt : std::optional(*batch);
}

}  // namespace regatta::sweep
