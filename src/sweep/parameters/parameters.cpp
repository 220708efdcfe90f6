#include "regatta/sweep/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "regatta/base/error.hpp"

namespace regatta::sweep {

namespace {

constexpr double most_real = 1e300;
constexpr std::int64_t most_integer = (std::int64_t{1} << 53) - 1;  ///< largest integer that every JSON reader keeps

ParamInfo own_row(ParamType type) {
  ParamInfo row{.param = Param::count_, .name = "", .description = "an axis of this sweep's own", .type = type};
  row.minimum = -most_integer;
  row.maximum = most_integer;
  row.least = -most_real;
  row.most = most_real;
  return row;
}

const ParamInfo& own_info(Param::OwnKind kind) {
  static const ParamInfo integer = own_row(ParamType::integer);
  static const ParamInfo real = own_row(ParamType::real);
  static const ParamInfo text = own_row(ParamType::text);
  if (kind == Param::OwnKind::integer) return integer;
  return kind == Param::OwnKind::real ? real : text;
}

/// Where the parameter stands among a sweep's own, or would.
template <class List, class Key>
auto place_of(List& list, const Param& param, const Key& key) {
  return std::ranges::lower_bound(list, param, {}, key);
}

}  // namespace

bool is_own_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto may_stand = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  };
  return !name.empty() && name.size() <= Param::max_own_name && is_letter(name.front()) &&
         std::ranges::all_of(name, may_stand);
}

Param Param::own(std::string_view name, OwnKind kind) {
  if (!is_own_name(name))
    throw InputError(
        fmt::format("the axis '{}' has no name that an axis may have; take letters, digits, '_', '.' and '-', "
                    "a letter first, at most {}",
                    name.substr(0, max_own_name), max_own_name));
  Param param(Known::count_);
  param.kind_ = kind;
  param.size_ = static_cast<std::uint8_t>(name.size());
  std::ranges::copy(name, param.name_.begin());
  return param;
}

std::string_view name_of(Param::Known known) { return parameter_table()[static_cast<std::size_t>(known)].name; }

std::string_view name_of(const Param& param) { return param.is_own() ? param.own_name() : name_of(param.known()); }

void ParamSet::set(const Param& param, bool is_in) {
  if (!param.is_own()) {
    known_.set(static_cast<std::size_t>(param.known()), is_in);
    return;
  }
  const auto at = place_of(own_, param, std::identity());
  const bool is_there = at != own_.end() && *at == param;
  if (is_in && !is_there) own_.insert(at, param);
  if (!is_in && is_there) own_.erase(at);
}

bool ParamSet::operator[](const Param& param) const {
  if (!param.is_own()) return known_[static_cast<std::size_t>(param.known())];
  return std::ranges::binary_search(own_, param);
}

bool ParamSet::intersects(const ParamSet& other) const {
  return (known_ & other.known_).any() || std::ranges::any_of(own_, [&](const Param& param) { return other[param]; });
}

std::vector<Param> ParamSet::members() const {
  std::vector<Param> members;
  for (const ParamInfo& row : parameter_table()) {
    if ((*this)[row.param]) members.push_back(row.param);
  }
  members.insert(members.end(), own_.begin(), own_.end());
  return members;
}

ParamSet& ParamSet::operator|=(const ParamSet& other) {
  known_ |= other.known_;
  for (const Param& param : other.own_) set(param);
  return *this;
}

ParamSet& ParamSet::operator-=(const ParamSet& other) {
  known_ &= ~other.known_;
  for (const Param& param : other.own_) set(param, false);
  return *this;
}

namespace {

const Value& null_value() {
  static const Value null;
  return null;
}

}  // namespace

Value& RowValues::operator[](std::size_t row) {
  PartPointer& part = parts_[row / part_size];
  if (part.get() == nullptr)
    part = PartPointer(new Part);
  else if (part.is_shared())
    part = PartPointer(new Part{part.get()->values});
  return part.get()->values[row % part_size];
}

bool RowValues::operator==(const RowValues& other) const {
  for (std::size_t row = 0; row < param_count; ++row) {
    const bool is_shared = parts_[row / part_size].get() == other.parts_[row / part_size].get();
    if (!is_shared && (*this)[row] != other[row]) return false;
  }
  return true;
}

const Value& Parameters::operator[](const Param& param) const {
  if (!param.is_own()) return (*this)[param.known()];
  const auto at = place_of(own_, param, &Own::param);
  return at != own_.end() && at->param == param ? at->value : null_value();
}

void Parameters::set(const Param& param, Value value) {
  if (!param.is_own()) {
    if (std::as_const(*this)[param.known()] != value) (*this)[param.known()] = std::move(value);
    return;
  }
  const auto at = place_of(own_, param, &Own::param);
  const bool is_there = at != own_.end() && at->param == param;
  if (std::holds_alternative<std::monostate>(value)) {
    if (is_there) own_.erase(at);
  } else if (is_there) {
    *at = {param, std::move(value)};
  } else {
    own_.insert(at, {param, std::move(value)});
  }
}

ParamSet differing(const Parameters& a, const Parameters& b) {
  ParamSet set;
  for (const ParamInfo& row : parameter_table()) {
    if (a[row.param] != b[row.param]) set.set(row.param);
  }
  for (const Parameters* one : {&a, &b}) {
    for (const auto& [param, value] : one->own()) {
      if (a[param] != b[param]) set.set(param);
    }
  }
  return set;
}

const ParamInfo& info(const Param& param) {
  return param.is_own() ? own_info(param.kind()) : parameter_table()[static_cast<std::size_t>(param.known())];
}

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

const std::string& text_of(const Parameters& parameters, const Param& param) {
  const auto* text = std::get_if<std::string>(&parameters[param]);
  if (text == nullptr) throw InternalError(fmt::format("the parameter {} holds no text here", name_of(param)));
  return *text;
}

bool is_level(const Parameters& parameters, const Param& param, std::string_view level) {
  const auto* text = std::get_if<std::string>(&parameters[param]);
  return text != nullptr && *text == level;
}

std::int64_t integer_or(const Parameters& parameters, const Param& param, std::int64_t fallback) {
  const auto* value = std::get_if<std::int64_t>(&parameters[param]);
  return value != nullptr ? *value : fallback;
}

double real_or(const Parameters& parameters, const Param& param, double fallback) {
  const auto* value = std::get_if<double>(&parameters[param]);
  return value != nullptr ? *value : fallback;
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
