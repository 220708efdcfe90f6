#include "regatta/exchange/member_watch.hpp"

#include <fcntl.h>
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

}  // namespace regatta::exchange
