// Tables whose rows stand once and are referred to by their position.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace regatta::results {

/// The position of `item` in `list`, appended if it is not there yet.
template <class Item, class Same>
std::int32_t position_of(std::vector<Item>& list, const Item& item, Same&& same) {
  const auto found = std::ranges::find_if(list, [&](const Item& held) { return same(held, item); });
  if (found != list.end()) return static_cast<std::int32_t>(found - list.begin());
  list.push_back(item);
  return static_cast<std::int32_t>(list.size() - 1);
}

}  // namespace regatta::results
