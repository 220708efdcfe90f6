#include "regatta/stats/flags.hpp"

#include <algorithm>

namespace regatta::stats {

static_assert(flag_names.size() == static_cast<std::size_t>(Flag::suspended) + 1);

std::optional<Flags> flags_of_bits(std::uint64_t bits) {
  if (bits >> flag_names.size() != 0) return std::nullopt;
  Flags flags;
  flags.bits = static_cast<std::uint32_t>(bits);
  return flags;
}

std::vector<std::string_view> names_of(Flags flags) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < flag_names.size(); ++i) {
    if (flags.has(static_cast<Flag>(i))) names.push_back(flag_names[i]);
  }
  return names;
}

std::string text_of(Flags flags, std::string_view separator) {
  std::string text;
  for (const std::string_view name : names_of(flags)) {
    if (!text.empty()) text += separator;
    text += name;
  }
  return text;
}

// A name may hold a comma: it is taken off whole.
std::optional<Flags> parse_flags(std::string_view text) {
  Flags flags;
  while (!text.empty()) {
    const auto* const name = std::ranges::find_if(flag_names, [&](std::string_view each) {
      return text.starts_with(each) && (text.size() == each.size() || text[each.size()] == ',');
    });
    if (name == flag_names.end()) return std::nullopt;
    flags.add(static_cast<Flag>(name - flag_names.begin()));
    text.remove_prefix(std::min(name->size() + 1, text.size()));
  }
  return flags;
}

}  // namespace regatta::stats
