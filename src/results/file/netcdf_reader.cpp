#include "results/file/netcdf_reader.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <variant>

#include "regatta/base/error.hpp"

namespace regatta::results::hdf5 {
namespace {

template <class Value>
std::optional<Value> if_any(Answer answer) {
  if (auto* value = std::get_if<Value>(&answer)) return std::move(*value);
  return std::nullopt;
}

std::vector<std::string> strings_of(const Texts& texts) {
  std::vector<std::string> strings;
  strings.reserve(texts.lengths.size());
  std::string_view rest = texts.all;
  for (const std::uint64_t length : texts.lengths) {
    strings.emplace_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  return strings;
}

}  // namespace

std::optional<std::string> file_text(const Ask& ask, const std::string& name) {
  return if_any<std::string>(ask({Wanted::root_text, "", name}));
}

std::optional<std::int64_t> file_integer(const Ask& ask, const std::string& name) {
  return if_any<std::int64_t>(ask({Wanted::root_integer, "", name}));
}

bool has_group(const Ask& ask, const std::string& name) {
  return if_any<std::int64_t>(ask({Wanted::group, name, ""})).has_value();
}

GroupReader::GroupReader(Ask ask, std::string name, const std::string& rows)
    : ask_(std::move(ask)), name_(std::move(name)) {
  if (!has_group(ask_, name_)) throw InputError(fmt::format("the group /{} is missing", name_));
  if (!rows.empty()) rows_ = static_cast<std::size_t>(std::get<std::int64_t>(ask_({Wanted::length, name_, rows})));
}

GroupReader GroupReader::along(const std::string& rows) const { return {ask_, name_, rows}; }

bool GroupReader::has(const std::string& variable) const {
  return if_any<std::int64_t>(ask_({Wanted::variable, name_, variable})).has_value();
}

std::vector<std::string> GroupReader::variables() const {
  return strings_of(std::get<Texts>(ask_({Wanted::variables, name_, ""})));
}

template <class Column>
Column GroupReader::column(Wanted wanted, const std::string& variable) const {
  Answer values = ask_({wanted, name_, variable, rows_});
  return std::move(std::get<Column>(values));
}

std::vector<std::int64_t> GroupReader::integers(const std::string& variable) const {
  return column<std::vector<std::int64_t>>(Wanted::integers, variable);
}

std::vector<double> GroupReader::numbers(const std::string& variable) const {
  return column<std::vector<double>>(Wanted::numbers, variable);
}

std::vector<std::string> GroupReader::texts(const std::string& variable) const {
  return strings_of(column<Texts>(Wanted::texts, variable));
}

std::vector<std::int64_t> GroupReader::integers_in(const std::string& variable, std::int64_t lowest,
                                                   std::size_t end) const {
  std::vector<std::int64_t> values = integers(variable);
  for (std::int64_t value : values) {
    if (value >= lowest && value < static_cast<std::int64_t>(end)) continue;
    throw InputError(fmt::format("/{}/{} holds {}, which is not in [{}, {})", name_, variable, value, lowest, end));
  }
  return values;
}

std::optional<std::int64_t> GroupReader::fill_of(const std::string& variable) const {
  return if_any<std::int64_t>(ask_({Wanted::fill_value, name_, variable}));
}

std::string GroupReader::text(const std::string& variable) const {
  Answer value = ask_({Wanted::text, name_, variable});
  return std::move(std::get<std::string>(value));
}

std::vector<Hash128> hashes(const GroupReader& group, const std::string& variable) {
  std::vector<Hash128> ids;
  for (const std::string& text : group.texts(variable)) {
    const auto id = parse_hash128(text);
    if (!id) throw InputError(fmt::format("{} holds '{}', which is no id", variable, text));
    ids.push_back(*id);
  }
  return ids;
}

}  // namespace regatta::results::hdf5
