// One ring of chunks. The caller takes batches from a chunk that is ready; a chunk whose batches all came back is
// filled again with the steps that follow those of the other chunks. Everything that threads share is under one mutex,
// which is taken once for each chunk. Waking a sleeping thread takes longer than small batches do, so the caller wakes
// nobody: a thread that finds nothing to fill looks again in a while, and only one that never finds anything leaves the
// arena.
#include "regatta/data/loader.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "data/loader/filling.hpp"
#include "data/loader/gather.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"

namespace regatta::data {
namespace {

constexpr double least_pause_seconds = 20e-6;
constexpr double most_pause_seconds = 1e-3;
constexpr double idle_seconds = 20e-3;  // after which a thread leaves the arena

}  // namespace

class Loader::Ring {
 public:
  explicit Ring(Recipe recipe)
      : recipe_(std::move(recipe)),
        slots_(make_slots(recipe_.options, batch_bytes(recipe_))),
        places_(slots_.chunks.size()),
        steps_done_(recipe_.options.first_step) {
    const LoaderOptions& options = recipe_.options;
    const auto is_there = [](const Array& array) { return is_in_memory(array); };
    if (options.threads > 0) start_threads(!std::all_of(recipe_.arrays.begin(), recipe_.arrays.end(), is_there));
    for (std::size_t i = 0; i < places_.size(); ++i) want(i, first_step_of(i));
  }

  ~Ring() {
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    to_do_changed_.notify_all();
    done_changed_.wait(lock, [&] { return filling_ == 0; });  // they write into the slab
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  std::pair<std::size_t, const LoadedBatch*> next() {
    if (at_batch_ == 0) enter();
    Place& place = places_[at_];
    const Chunk& chunk = slots_.chunks[at_];
    const std::pair<std::size_t, const LoadedBatch*> given{at_, &chunk.batches[at_batch_]};
    ++place.given;
    ++steps_done_;
    if (++at_batch_ == chunk.batches.size()) {
      at_batch_ = 0;
      at_ = (at_ + 1) % places_.size();
    }
    return given;
  }

  [[nodiscard]] bool has_room() const { return at_batch_ > 0 || places_[at_].given == 0; }

  [[nodiscard]] bool is_ready() {
    if (at_batch_ > 0) return true;
    const std::scoped_lock lock(mutex_);
    return places_[at_].stage == Stage::ready;
  }

  void give_back(std::size_t index) {
    Place& place = places_[index];
    if (++place.returned < slots_.chunks[index].batches.size()) return;
    want(index, slots_.chunks[index].first_step + depth());
  }

  [[nodiscard]] std::int64_t depth() const {
    return static_cast<std::int64_t>(slots_.chunks.size() * slots_.chunks.front().batches.size());
  }
  [[nodiscard]] std::int64_t steps_done() const { return steps_done_; }
  [[nodiscard]] std::uint64_t slab_bytes() const { return slots_.bytes; }
  [[nodiscard]] SharedSlab shared() const { return shared_slab(slots_); }
  [[nodiscard]] const std::vector<BatchField>& fields() const { return recipe_.fields; }

  [[nodiscard]] LoaderTimes times() {
    const std::scoped_lock lock(mutex_);
    const double now = steady_seconds();
    count_what_goes_on(now);
    count_consumed(now);
    LoaderTimes times = times_;
    times.batches = steps_done_ - recipe_.options.first_step;
    return times;
  }

 private:
  /// How far a chunk has come.
  enum class Stage : std::uint8_t { waiting, reading, filling, ready, failed };

  static std::string_view name_of(Stage stage) {
    constexpr std::string_view names[] = {"waiting for a thread", "reading from storage", "gathering", "ready",
                                          "failed"};
    return names[static_cast<std::size_t>(stage)];
  }

  /// The state of a chunk beside its batches. `given` and `returned` are the caller's alone.
  struct Place {
    Stage stage = Stage::waiting;
    double since_seconds = 0;        ///< reading, filling: what went before is counted
    bool is_partly_counted = false;  ///< the time it is filled for
    bool is_filled_once = false;
    std::exception_ptr error;
    std::size_t given = 0;
    std::size_t returned = 0;
  };

  [[nodiscard]] std::int64_t first_step_of(std::size_t index) const {
    return recipe_.options.first_step + static_cast<std::int64_t>(index * slots_.chunks[index].batches.size());
  }

  void start_threads(bool reads) {
    const auto threads = static_cast<std::size_t>(recipe_.options.threads);
    const auto cores = static_cast<std::size_t>(tbb::info::default_concurrency());
    allowed_.emplace(tbb::global_control::max_allowed_parallelism, cores + threads);  // the engine has its own
    arena_.initialize(static_cast<int>(threads), 0);
    if (!reads) return;
    for (int i = 0; i < recipe_.options.read_threads; ++i) readers_.emplace_back([this] { read_on(); });
  }

  /// The chunk is to hold the steps from `first_step` on.
  void want(std::size_t index, std::int64_t first_step) {
    Chunk& chunk = slots_.chunks[index];
    Place& place = places_[index];
    chunk.first_step = first_step;
    place.given = place.returned = 0;
    const std::scoped_lock lock(mutex_);
    if (recipe_.options.is_headspace && place.is_filled_once) {
      place.stage = Stage::ready;
      return;
    }
    place.stage = Stage::waiting;
    if (recipe_.options.threads == 0) return;  // enter() fills it
    count_slot_wait(steady_seconds());
    ++to_make_;
    if (readers_.empty()) return add_to_fill(index);
    to_read_.push_back(index);
    to_do_changed_.notify_all();
  }

  /// Under the mutex.
  void add_to_fill(std::size_t index) {
    to_fill_.push_back(index);
    if (to_fill_.size() <= looking_ || filling_ == static_cast<std::size_t>(recipe_.options.threads)) return;
    ++filling_;
    arena_.enqueue([this] { fill_on(); });
  }

  /// One of the arena's threads.
  void fill_on() {
    std::unique_lock lock(mutex_);
    while (wait_for_work(lock)) {
      const std::size_t index = to_fill_.front();
      to_fill_.pop_front();
      begin(places_[index], Stage::filling);
      lock.unlock();
      fill(index);
      lock.lock();
    }
    --filling_;
    done_changed_.notify_all();
  }

  /// Whether there is something to fill; looks again and again before it gives up.
  bool wait_for_work(std::unique_lock<std::mutex>& lock) {
    const Deadline patience = Deadline::after(idle_seconds);
    while (to_fill_.empty() && !is_ending_ && !patience.passed()) {
      const double pause = std::clamp(chunk_seconds_ / 4, least_pause_seconds, most_pause_seconds);
      ++looking_;
      to_do_changed_.wait_for(lock, std::chrono::duration<double>(pause));
      --looking_;
    }
    return !to_fill_.empty() && !is_ending_;
  }

  // Blocking waits would hold up the arena's threads: they are made here.
  void read_on() {
    std::unique_lock lock(mutex_);
    for (;;) {
      to_do_changed_.wait(lock, [&] { return is_ending_ || !to_read_.empty(); });
      if (is_ending_) return;
      const std::size_t index = to_read_.front();
      to_read_.pop_front();
      Place& place = places_[index];
      begin(place, Stage::reading);
      lock.unlock();
      read_chunk(recipe_, slots_.chunks[index]);
      const double end = steady_seconds();
      lock.lock();
      times_.read_seconds += end - place.since_seconds;
      place.stage = Stage::waiting;
      add_to_fill(index);
      to_do_changed_.notify_all();
    }
  }

  void fill(std::size_t index) {
    FillTimes took;
    std::exception_ptr error;
    try {
      took = fill_chunk(recipe_, slots_.chunks[index]);
    } catch (...) {
      error = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    Place& place = places_[index];
    count_filled(place, took);
    place.stage = error ? Stage::failed : Stage::ready;
    place.is_filled_once = !error;
    place.error = error;
    done_changed_.notify_all();
  }

  // The times. Under the mutex:

  static void begin(Place& place, Stage stage) {
    place.stage = stage;
    place.since_seconds = steady_seconds();
    place.is_partly_counted = false;
  }

  /// Up to now as many threads as there was less to make had nothing to do.
  void count_slot_wait(double now) {
    const auto threads = static_cast<std::size_t>(recipe_.options.threads);
    if (to_make_ < threads) times_.slot_wait_seconds += static_cast<double>(threads - to_make_) * (now - idle_since_);
    idle_since_ = now;
  }

  /// Only a chunk that is whole tells what was decoded: of a part it is the share that it was so far.
  void count_part_of_filling(double seconds) {
    const double known = times_.decode_seconds + times_.collate_seconds;
    const double decoded = known > 0 ? seconds * times_.decode_seconds / known : 0;
    times_.decode_seconds += decoded;
    times_.collate_seconds += seconds - decoded;
  }

  /// The caller had batches up to now.
  void count_consumed(double now) {
    if (consuming_since_ > 0) times_.consume_seconds += now - std::exchange(consuming_since_, now);
  }

  void count_what_goes_on(double now) {
    count_slot_wait(now);
    for (Place& place : places_) {
      const double seconds = now - std::exchange(place.since_seconds, now);
      if (place.stage == Stage::reading) times_.read_seconds += seconds;
      if (place.stage != Stage::filling) continue;
      count_part_of_filling(seconds);
      place.is_partly_counted = true;
    }
  }

  void count_filled(const Place& place, const FillTimes& took) {
    if (recipe_.options.threads > 0) {
      const double now = steady_seconds();
      count_slot_wait(now);
      --to_make_;
      if (place.is_partly_counted) return count_part_of_filling(now - place.since_seconds);
    }
    times_.decode_seconds += took.decode_seconds;
    times_.collate_seconds += took.collate_seconds;
  }

  [[nodiscard]] bool is_made(const Place& place) const {
    return place.stage == Stage::ready || place.stage == Stage::failed;
  }

  /// Begins to give the batches of the next chunk.
  void enter() {
    Place& place = places_[at_];
    if (!has_room())
      throw InternalError("all batches made ahead are held (no more can be made); give one back before the next");
    const double asked = steady_seconds();
    const bool makes_it = recipe_.options.threads == 0 && place.stage == Stage::waiting;
    if (makes_it) fill(at_);
    std::unique_lock lock(mutex_);
    const bool waits = !is_made(place);
    if (waits) await(place, lock);
    const double entered = makes_it || waits ? steady_seconds() : asked;
    count_consumed(asked);
    consuming_since_ = entered;
    if (entered_seconds_ > 0) chunk_seconds_ = entered - entered_seconds_;
    times_.wait_seconds += entered - asked;
    entered_seconds_ = entered;
    if (place.error) std::rethrow_exception(place.error);
  }

  /// Nothing is ready: now whoever pauses is woken.
  void await(const Place& place, std::unique_lock<std::mutex>& lock) {
    to_do_changed_.notify_all();
    const auto patience = std::chrono::duration<double>(recipe_.options.patience_seconds);
    if (done_changed_.wait_for(lock, patience, [&] { return is_made(place); })) return;
    throw DeviceError(fmt::format("the loader gave no batch for {:.0f} s (its next one is {}); look at the storage",
                                  recipe_.options.patience_seconds, name_of(place.stage)));
  }

  Recipe recipe_;
  Slots slots_;
  std::vector<Place> places_;
  // The caller's:
  std::size_t at_ = 0;        ///< chunk of the next batch
  std::size_t at_batch_ = 0;  ///< its place there
  std::int64_t steps_done_ = 0;
  double entered_seconds_ = 0;
  double consuming_since_ = 0;  ///< time before this is counted; 0: it has had no batch yet
  // Shared, under the mutex:
  std::mutex mutex_;
  std::condition_variable to_do_changed_;
  std::condition_variable done_changed_;  ///< a chunk was filled, or a thread left
  std::deque<std::size_t> to_read_;
  std::deque<std::size_t> to_fill_;
  std::size_t filling_ = 0;               ///< threads in fill_on()
  std::size_t looking_ = 0;               ///< how many of them pause
  std::size_t to_make_ = 0;               ///< chunks that are wanted from the threads, those included that they are at
  double idle_since_ = steady_seconds();  ///< up to where the wait for slots is counted
  double chunk_seconds_ = 0;              ///< time that the caller took for its last chunk
  bool is_ending_ = false;
  LoaderTimes times_;
  // The threads, last to begin and first to end:
  std::optional<tbb::global_control> allowed_;
  tbb::task_arena arena_;
  std::vector<std::jthread> readers_;
};

Loader::Lease::Lease(Lease&& other) noexcept
    : loader_(std::exchange(other.loader_, nullptr)), chunk_(other.chunk_), batch_(other.batch_) {}

Loader::Lease& Loader::Lease::operator=(Lease&& other) noexcept {
  std::swap(loader_, other.loader_);
  std::swap(chunk_, other.chunk_);
  std::swap(batch_, other.batch_);
  return *this;
}

Loader::Lease::~Lease() {
  if (loader_ != nullptr) loader_->ring_->give_back(chunk_);
}

Loader::Loader(std::vector<Array> arrays, LoaderOptions options)
    : ring_(std::make_unique<Ring>(make_recipe(std::move(arrays), std::move(options)))) {}

Loader::~Loader() = default;

Loader::Lease Loader::next() {
  const auto [chunk, batch] = ring_->next();
  return {*this, chunk, *batch};
}

bool Loader::has_room() const { return ring_->has_room(); }
bool Loader::is_ready() const { return ring_->is_ready(); }
std::int64_t Loader::steps_done() const { return ring_->steps_done(); }
const std::vector<BatchField>& Loader::fields() const { return ring_->fields(); }
LoaderTimes Loader::times() const { return ring_->times(); }
std::int64_t Loader::depth() const { return ring_->depth(); }
std::uint64_t Loader::slab_bytes() const { return ring_->slab_bytes(); }
SharedSlab Loader::shared() const { return ring_->shared(); }

}  // namespace regatta::data
