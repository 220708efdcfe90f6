// Handles that are never given out twice, so that a stale one is told from a live one.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace regatta::cuda_fakes {

template <class T>
class Handles {
 public:
  /// Handles of different kinds differ in their `kind`.
  explicit Handles(std::uintptr_t kind) : next_((kind << 56) | 0x1000) {}

  /// Room for `span` handles of parts behind each.
  template <class Opaque>
  Opaque add(std::shared_ptr<T> thing, std::uintptr_t span = 16) {
    const std::uintptr_t value = next_;
    next_ += span;
    things_[value] = std::move(thing);
    return reinterpret_cast<Opaque>(value);
  }

  /// Null: no such handle, or no longer.
  template <class Opaque>
  [[nodiscard]] std::shared_ptr<T> find(Opaque handle) const {
    const auto found = things_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == things_.end() ? nullptr : found->second;
  }

  template <class Opaque>
  bool remove(Opaque handle) {
    return things_.erase(reinterpret_cast<std::uintptr_t>(handle)) != 0;
  }

  template <class Predicate>
  void remove_if(Predicate applies) {
    std::erase_if(things_, [&](const auto& entry) { return applies(*entry.second); });
  }

  template <class Visit>
  void each(Visit visit) {
    for (auto& [value, thing] : things_) visit(*thing);
  }

  void clear() { things_.clear(); }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(things_.size()); }

 private:
  std::uintptr_t next_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<T>> things_;
};

}  // namespace regatta::cuda_fakes
