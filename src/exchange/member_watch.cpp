#include "regatta/exchange/member_watch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "exchange/member_layout.hpp"
#include "exchange/mirror.hpp"
#include "regatta/base/shared_memory.hpp"

namespace regatta::exchange {

MemberWatch::MemberWatch(const std::string& path) {
  const UniqueFd fd = open_shared_memory(path, O_RDONLY);
  buckets_ = arena_of_member(fd.get()).buckets.size();
  memory_ = map_shared(fd.get(), bytes_of_pages(buckets_ * sizeof(Progress)), PROT_READ);
}

Standing MemberWatch::standing() const {
  const auto* const progress = reinterpret_cast<const Progress*>(memory_.get());
  Standing standing{progress[0].ready.load(std::memory_order_acquire), 1};
  while (standing.bucket < buckets_ && progress[standing.bucket].ready.load(std::memory_order_acquire) == standing.step)
    ++standing.bucket;
  if (standing.step > 0 && standing.bucket < buckets_) return standing;
  return {standing.step + 1, 0};
}

Standing MemberWatch::furthest() const {
  const auto* const progress = reinterpret_cast<const Progress*>(memory_.get());
  Standing furthest{0, 0};
  for (std::size_t bucket = 0; bucket < buckets_; ++bucket)
    if (const std::uint64_t step = progress[bucket].ready.load(std::memory_order_acquire); step > furthest.step)
      furthest = {step, bucket};
  return furthest;
}

std::optional<std::size_t> written_over(const std::vector<MemberWatch>& ranks) {
  if (ranks.size() < 2) return std::nullopt;
  const auto step = [](const MemberWatch& rank) { return rank.furthest().step; };
  const auto [least, most] = std::ranges::minmax_element(ranks, {}, step);
  if (step(*most) <= step(*least) + 1) return std::nullopt;
  return static_cast<std::size_t>(most - ranks.begin());
}

std::string written_over_text(std::size_t rank, Standing told, std::uint64_t step_of_others) {
  return fmt::format(
      "rank {} says that it is at step {} of bucket {} while the others are at step {}. A wild store in its process "
      "wrote over its control words",
      rank, told.step, told.bucket, step_of_others);
}

}  // namespace regatta::exchange
