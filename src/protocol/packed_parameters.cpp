#include "protocol/packed_parameters.hpp"

#include <bit>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace regatta::protocol {
namespace {

static_assert(sweep::param_count <= 64, "a word has a bit for each parameter");
static_assert(std::variant_size_v<sweep::Value> == 5, "take_value reads every type");

void put(ByteWriter& out, const sweep::Value& value) {
  out.number(static_cast<std::uint8_t>(value.index()));
  std::visit(
      [&]<class T>(const T& held) {
        if constexpr (std::is_same_v<T, std::string>)
          out.text(held);
        else if constexpr (std::is_same_v<T, bool>)
          out.number<std::uint8_t>(held ? 1 : 0);
        else if constexpr (std::is_arithmetic_v<T>)
          out.number(held);
      },
      value);
}

sweep::Value take_value(ByteReader& in) {
  switch (in.number<std::uint8_t>()) {
    case 0:
      return std::monostate{};
    case 1:
      return take_flag(in);
    case 2:
      return in.number<std::int64_t>();
    case 3:
      return take_real(in);
    case 4:
      return in.text();
    default:
      throw InputError("a parameter's value is of no known type");
  }
}

void put_own(ByteWriter& out, const sweep::Parameters& parameters) {
  out.number(static_cast<std::uint8_t>(parameters.own().size()));
  for (const auto& [param, value] : parameters.own()) {
    out.text(param.own_name());
    out.number(static_cast<std::uint8_t>(param.kind()));
    put(out, value);
  }
}

}  // namespace

void put_all(ByteWriter& out, const sweep::Parameters& parameters) {
  std::uint64_t known = 0;
  for (std::size_t i = 0; i < sweep::param_count; ++i)
    known |= std::holds_alternative<std::monostate>(parameters.values[i]) ? 0U : std::uint64_t{1} << i;
  out.number(known);
  for (std::uint64_t left = known; left != 0; left &= left - 1)
    put(out, parameters.values[static_cast<std::size_t>(std::countr_zero(left))]);
  put_own(out, parameters);
}

void put_changes(ByteWriter& out, const sweep::Parameters& parameters, sweep::RowValues& last) {
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < sweep::param_count; ++i)
    changed |= parameters.values[i] == std::as_const(last)[i] ? 0U : std::uint64_t{1} << i;
  out.number(changed);
  for (std::size_t i = 0; i < sweep::param_count; ++i) {
    if ((changed >> i & 1U) != 0) put(out, last[i] = parameters.values[i]);
  }
  put_own(out, parameters);
}

sweep::Parameters take_changes(ByteReader& in, sweep::RowValues& last) {
  const auto changed = in.number<std::uint64_t>();
  need((changed >> sweep::param_count) == 0, "a parameter is unknown");
  for (std::uint64_t left = changed; left != 0; left &= left - 1)
    last[static_cast<std::size_t>(std::countr_zero(left))] = take_value(in);
  sweep::Parameters parameters;
  parameters.values = last;
  for (auto left = in.number<std::uint8_t>(); left > 0; --left) {
    const std::string name = in.text();
    const auto kind = take_choice(in, sweep::Param::OwnKind::json);
    parameters.set(sweep::Param::own(name, kind), take_value(in));
  }
  return parameters;
}

}  // namespace regatta::protocol
