#include "regatta/exchange/shared_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

#include "exchange/member_layout.hpp"
#include "exchange/mirror.hpp"
#include "exchange/patience.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/exchange/member_watch.hpp"
#include "regatta/exchange/tree.hpp"

namespace regatta::exchange {
namespace {

using StopWord = std::atomic<std::uint64_t>;

/// The slices of all ranks, one behind the other, as if they were one piece of memory. `begins` has the byte of each
/// bucket's slice in the memory of its rank.
class SlicesView {
 public:
  SlicesView(const Arena& arena, const std::vector<std::size_t>& begins, const std::vector<int>& fds)
      : bytes_(arena.elements * sizeof(float)) {
    at_ = static_cast<std::byte*>(::mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (at_ == MAP_FAILED) throw InternalError(errno_text("reserve room for sums", errno));
    for (std::size_t b = 0; b < arena.buckets.size(); ++b) {
      const Bucket& bucket = arena.buckets[b];
      for (std::size_t rank = 0; rank < arena.ranks; ++rank) {
        std::byte* const place = at_ + (bucket.first + rank * bucket.slice) * sizeof(float);
        if (::mmap(place, bucket.slice * sizeof(float), PROT_READ, MAP_SHARED | MAP_FIXED, fds[rank],
                   static_cast<off_t>(begins[b])) == MAP_FAILED)
          throw InternalError(errno_text("map sums", errno));
      }
    }
  }
  SlicesView(const SlicesView&) = delete;
  SlicesView& operator=(const SlicesView&) = delete;
  ~SlicesView() { ::munmap(at_, bytes_); }

  [[nodiscard]] std::span<const float> floats() const {
    return {reinterpret_cast<const float*>(at_), bytes_ / sizeof(float)};
  }

 private:
  std::size_t bytes_;
  std::byte* at_;
};

class SharedMemory : public Communicator {
 public:
  SharedMemory(Arena arena, std::size_t rank, Member own, const std::vector<int>& fds, int stop_fd,
               NotFinite not_finite)
      : arena_(std::move(arena)),
        layout_(arena_),
        rank_(rank),
        own_(std::move(own)),
        stop_(map_shared(stop_fd, page_bytes, PROT_READ)),
        sums_(arena_, layout_.slices, fds),
        not_finite_(not_finite),
        steps_(arena_.buckets.size(), 0),
        updates_(arena_.buckets.size(), 0) {
    expect(fds.size() == arena_.ranks && rank < arena_.ranks, "each rank has a member");
    for (const int fd : fds) peers_.push_back(map_shared(fd, layout_.bytes, PROT_READ));
    parts_.resize(arena_.ranks);
    for (std::size_t which = 0; which < arena_.states; ++which) {
      std::vector<std::size_t> begins;
      for (std::size_t b = 0; b < arena_.buckets.size(); ++b) begins.push_back(layout_.state(which, b));
      states_.emplace_back(std::make_unique<SlicesView>(arena_, begins, fds));
    }
  }

  [[nodiscard]] const Arena& arena() const override { return arena_; }
  std::span<float> gradients() override {
    return {reinterpret_cast<float*>(own_.memory() + layout_.progress_bytes), arena_.elements};
  }
  [[nodiscard]] std::span<const float> sums() const override { return sums_.floats(); }

  void ready(std::size_t bucket) override {
    Progress& own = progress(own_.memory(), bucket);
    const std::uint64_t step = ++steps_[bucket];
    own.ready_ns[step % 2].store(steady_nanoseconds(), std::memory_order_relaxed);
    own.ready.store(step, std::memory_order_release);
    pending_.push_back(bucket);
    advance();
  }

  void wait(std::size_t bucket, double patience_seconds) override {
    Patience patience(patience_seconds);
    while (!all_have(bucket, &Progress::summed, steps_[bucket])) {
      advance();
      if (failed_ && (is_written_over_ || failed_->bucket <= bucket)) throw ExchangeFailed(*failed_);
      if (is_stopped()) throw stopped(bucket);
      if (!patience.pause()) throw missing(bucket, patience_seconds);
    }
  }

  std::span<float> own_state(std::size_t which, std::size_t bucket) override {
    return {reinterpret_cast<float*>(own_.memory() + layout_.state(which, bucket)),
            part_elements(arena_.buckets[bucket], rank_)};
  }
  [[nodiscard]] std::span<const float> states(std::size_t which) const override { return states_[which]->floats(); }

  void updated(std::size_t bucket) override {
    progress(own_.memory(), bucket).updated.store(++updates_[bucket], std::memory_order_release);
  }

  void wait_for_updates(std::size_t bucket, double patience_seconds) override {
    Patience patience(patience_seconds);
    while (!all_have(bucket, &Progress::updated, updates_[bucket])) {
      if (is_written_over_) throw ExchangeFailed(*failed_);
      if (is_stopped()) throw stopped(bucket);
      if (!patience.pause())
        throw missing(first_behind(bucket, &Progress::updated, updates_[bucket]), "updated its part of", bucket,
                      patience_seconds);
    }
  }

  [[nodiscard]] std::optional<Arrival> arrival(std::size_t bucket, std::span<std::int64_t> ready_of) const override {
    Arrival seen;
    for (std::size_t rank = 0; rank < arena_.ranks; ++rank) {
      const Progress& of_rank = progress_of(rank, bucket);
      const std::int64_t ready_ns = of_rank.ready_ns[steps_[bucket] % 2].load(std::memory_order_relaxed);
      const std::int64_t summed_ns = of_rank.summed_ns[steps_[bucket] % 2].load(std::memory_order_relaxed);
      if (ready_ns == 0 || summed_ns == 0) return std::nullopt;
      if (!ready_of.empty()) ready_of[rank] = ready_ns;
      if (rank == 0 || ready_ns < seen.first_ns) seen.first_ns = ready_ns;
      if (rank == 0 || ready_ns > seen.last_ns) {
        seen.last_ns = ready_ns;
        seen.last_rank = rank;
      }
      seen.summed_ns = std::max(seen.summed_ns, summed_ns);
    }
    return seen;
  }

 private:
  static Progress& progress(std::byte* memory, std::size_t bucket) {
    return reinterpret_cast<Progress*>(memory)[bucket];
  }
  [[nodiscard]] const Progress& progress_of(std::size_t rank, std::size_t bucket) const {
    return progress(peers_[rank].get(), bucket);
  }
  [[nodiscard]] bool is_stopped() const {
    return reinterpret_cast<const StopWord*>(stop_.get())->load(std::memory_order_relaxed) != 0;
  }

  template <class Word>
  [[nodiscard]] std::size_t first_behind(std::size_t bucket, Word word, std::uint64_t least) const {
    std::size_t rank = 0;
    while (rank < arena_.ranks && (progress_of(rank, bucket).*word).load(std::memory_order_acquire) >= least) ++rank;
    return rank;
  }
  /// Whether all ranks have done the bucket as often as this one. None is two steps away from another one: whose word
  /// says so was written over.
  template <class Word>
  bool all_have(std::size_t bucket, Word word, std::uint64_t times) {
    for (std::size_t rank = 0; rank < arena_.ranks; ++rank) {
      const std::uint64_t found = (progress_of(rank, bucket).*word).load(std::memory_order_acquire);
      if (found == times) continue;
      if (found + 1 == times) return false;
      is_written_over_ = true;
      fail(written_over(rank, bucket, found, times));
      return false;
    }
    return true;
  }

  /// Sums this rank's slices of buckets that everybody has written, oldest first.
  void advance() {
    while (!failed_ && !pending_.empty() && all_have(pending_.front(), &Progress::ready, steps_[pending_.front()])) {
      sum_own_slice(pending_.front());
      pending_.erase(pending_.begin());
    }
  }

  /// The others wait for this rank's slice until their supervisor stops them, so that nobody goes on with it.
  void sum_own_slice(std::size_t at) {
    const Bucket& bucket = arena_.buckets[at];
    const std::size_t count = part_elements(bucket, rank_);
    const std::size_t begin = count > 0 ? rank_ * bucket.slice : 0;
    for (std::size_t rank = 0; rank < arena_.ranks; ++rank)
      parts_[rank] = reinterpret_cast<const float*>(peers_[rank].get() + layout_.progress_bytes) + bucket.first + begin;
    const bool finite = tree_sum(reinterpret_cast<float*>(own_.memory() + layout_.slices[at]), parts_, count);
    if (!finite && not_finite_ == NotFinite::fails) return fail(no_number(at, count));
    Progress& own = progress(own_.memory(), at);
    own.summed_ns[steps_[at] % 2].store(steady_nanoseconds(), std::memory_order_relaxed);
    own.summed.store(steps_[at], std::memory_order_release);
  }

  [[nodiscard]] ExchangeFailed stopped(std::size_t bucket) const {
    return {"the group was told to stop", steps_[bucket], bucket, std::nullopt};
  }
  [[nodiscard]] ExchangeFailed missing(std::size_t bucket, double seconds) const {
    const std::size_t rank = first_behind(bucket, &Progress::ready, steps_[bucket]);
    if (rank < arena_.ranks) return missing(rank, "written", bucket, seconds);
    return missing(first_behind(bucket, &Progress::summed, steps_[bucket]), "summed its part of", bucket, seconds);
  }
  [[nodiscard]] ExchangeFailed missing(std::size_t rank, const char* what, std::size_t bucket, double seconds) const {
    return {fmt::format("rank {} has not {} bucket {} of step {} after {:g} s (it hangs, or is far behind)", rank, what,
                        bucket, steps_[bucket], seconds),
            steps_[bucket], bucket, rank};
  }

  /// Keeps the first failure.
  void fail(ExchangeFailed failure) {
    if (!failed_) failed_.emplace(std::move(failure));
  }

  [[nodiscard]] ExchangeFailed written_over(std::size_t rank, std::size_t bucket, std::uint64_t found,
                                            std::uint64_t times) const {
    return {written_over_text(rank, {found, bucket}, times), steps_[bucket], bucket, rank};
  }

  /// Names who wrote what is no number to the slice that was summed last.
  [[nodiscard]] ExchangeFailed no_number(std::size_t bucket, std::size_t count) const {
    constexpr const char* meaning =
        "(all ranks would go on with it, and what they compute would mean nothing); if the model diverges, lower its "
        "learning rate";
    for (std::size_t rank = 0; rank < arena_.ranks; ++rank) {
      const float* const end = parts_[rank] + count;
      const float* const none = std::find_if(parts_[rank], end, [](float value) { return !std::isfinite(value); });
      if (none == end) continue;
      return {fmt::format("rank {} wrote {} to bucket {} of step {} {}", rank, *none, bucket, steps_[bucket], meaning),
              steps_[bucket], bucket, rank};
    }
    return {
        fmt::format("gradients of bucket {} add up to no finite number in step {} {}", bucket, steps_[bucket], meaning),
        steps_[bucket], bucket, std::nullopt};
  }

  Arena arena_;
  MemberLayout layout_;
  std::size_t rank_;
  Member own_;
  std::shared_ptr<std::byte> stop_;
  SlicesView sums_;
  std::vector<std::unique_ptr<SlicesView>> states_;
  std::vector<std::shared_ptr<std::byte>> peers_;  ///< every rank's memory, its own too, to read
  NotFinite not_finite_;
  std::vector<std::uint64_t> steps_;    ///< how often each bucket was ready
  std::vector<std::uint64_t> updates_;  ///< how often each was updated
  std::vector<std::size_t> pending_;    ///< buckets whose own slice is not summed yet
  std::vector<const float*> parts_;
  std::optional<ExchangeFailed> failed_;  ///< told who waits for its bucket: what came earlier is told first
  bool is_written_over_ = false;          ///< and therefore told whoever waits
};

}  // namespace

Member::Member(const Arena& arena) {
  const MemberLayout layout(arena);
  fd_ = make_shared_memory("regatta-gradients", layout.bytes);
  allocate(fd_, layout.bytes);
  memory_ = map_shared(fd_.get(), layout.bytes, PROT_READ | PROT_WRITE);
  describe(arena, layout, memory_.get());
  keep_size_and_writer(fd_);
}

Stop::Stop() {
  fd_ = make_shared_memory("regatta-stop", page_bytes);
  memory_ = map_shared(fd_.get(), page_bytes, PROT_READ | PROT_WRITE);
  keep_size(fd_);
}

Stop::Stop(const std::string& path)
    : fd_(open_shared_memory(path, O_RDWR)), memory_(map_shared(fd_.get(), page_bytes, PROT_READ | PROT_WRITE)) {}

void Stop::set() { reinterpret_cast<StopWord*>(memory_.get())->store(1, std::memory_order_relaxed); }
bool Stop::is_set() const { return reinterpret_cast<const StopWord*>(memory_.get())->load() != 0; }

std::unique_ptr<Communicator> make_shared_memory_communicator(Arena arena, std::size_t rank, Member own,
                                                              const std::vector<int>& member_fds, int stop_fd,
                                                              NotFinite not_finite) {
  const std::uint64_t bytes = MemberLayout(arena).bytes;
  for (const int fd : member_fds) {
    const std::uint64_t found = shared_memory_bytes(fd);
    if (found == bytes) continue;
    throw InternalError(fmt::format("a rank offers {} bytes for gradients that take {}", found, bytes));
  }
  return std::make_unique<SharedMemory>(std::move(arena), rank, std::move(own), member_fds, stop_fd, not_finite);
}

}  // namespace regatta::exchange
