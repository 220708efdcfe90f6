// Batches made ahead of the steps that read them, by threads of one process; no copy but the one into the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "regatta/data/array.hpp"
#include "regatta/data/plan.hpp"

namespace regatta::data {

/// The changes to an array on its way into a batch.
struct FieldOptions {
  std::optional<ElementType> type;  ///< float32 or int32; empty: as it is in the file
  float scale = 1;                  ///< float32 only: value * scale + shift
  float shift = 0;
  bool flips = false;  ///< mirrors the last axis of one sample in two, drawn by (seed, epoch, sample)
};

inline constexpr int most_loader_threads = 256;
inline constexpr std::int64_t most_steps = std::int64_t{1} << 53;  ///< over all epochs

struct LoaderOptions {
  Plan plan;
  std::vector<FieldOptions> fields;                     ///< one for each array
  int threads = 1;                                      ///< threads that make batches; 0: next() makes them
  int read_threads = 1;                                 ///< threads that wait for storage, where not all is in memory
  std::int64_t depth = 0;                               ///< batches made ahead; 0: as many as 4 MiB hold, 4 to 1024
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  ///< the most that batches made ahead may take
  bool is_shared = false;        ///< made in memory that another process can map: Loader::shared()
  bool is_headspace = false;     ///< replays the first `depth` batches: what a loader that takes no time would give
  std::int64_t first_step = 0;   ///< counted over all epochs: where a run goes on
  double patience_seconds = 60;  ///< how long next() waits before it gives up
};

/// The part of a batch that comes from one array.
struct BatchField {
  ElementType type = ElementType::uint8;
  std::vector<std::int64_t> shape;  ///< a sample's
};

inline std::size_t row_bytes(const BatchField& field) { return row_bytes(field.type, field.shape); }

struct LoadedBatch {
  Position position;
  std::int64_t count = 0;          ///< samples
  std::int64_t valid = 0;          ///< the first so many count
  std::vector<std::byte*> fields;  ///< rows of each field, one after the other, at a multiple of 64 bytes
};

inline constexpr std::uint64_t shared_page_bytes = 65536;  ///< a multiple of every machine's pages

/// The batches as another process maps them: batch k, counted from the first that next() gave, lies at (k % depth) *
/// batch_bytes, and its fields at these offsets from there.
struct SharedSlab {
  int fd = -1;              ///< the loader's; the size of the memory is fixed
  std::uint64_t bytes = 0;  ///< the whole memory's
  std::uint64_t batch_bytes = 0;
  std::vector<std::uint64_t> field_offsets;
  std::uint64_t page_offset = 0;  ///< shared_page_bytes behind the batches begin there
  std::byte* page = nullptr;      ///< the same, here: free for what is to be told beside them
};

/// Where the time went, in seconds over all batches so far.
struct LoaderTimes {
  double wait_seconds = 0;     ///< next() had no batch
  double consume_seconds = 0;  ///< the caller had one: between two calls of next()
  // Sums over all threads:
  double read_seconds = 0;       ///< they waited for storage
  double decode_seconds = 0;     ///< they made fields that are converted, scaled or mirrored
  double collate_seconds = 0;    ///< they drew the order, and copied fields as they are
  double slot_wait_seconds = 0;  ///< they had nothing to make, because no place was free
  std::int64_t batches = 0;
};

/// The times between two calls of times(), and their sum over several such intervals.
LoaderTimes operator-(const LoaderTimes& now, const LoaderTimes& before);
LoaderTimes operator+(const LoaderTimes& some, const LoaderTimes& more);

/// Batches stay in the host's memory: the loader moves none to a device, and no transfer can bound it.
enum class BoundBy : std::uint8_t { consumer, storage, decode, collate, handover };
std::string_view name_of(BoundBy bound);

/// `consumer` if next() waited for less than 1 % of the time; else what the threads spent most of theirs on, or
/// `handover` if all of it is less than half of the wait: then batches were waited for while nobody made them.
BoundBy bound_by(const LoaderTimes& times);

/// Used by one thread, which also gives its batches back.
class Loader {
 public:
  /// A batch until it is destroyed: then its place is filled again.
  class Lease {
   public:
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease();
    const LoadedBatch& operator*() const { return *batch_; }
    const LoadedBatch* operator->() const { return batch_; }

   private:
    friend class Loader;
    Lease(Loader& loader, std::size_t chunk, const LoadedBatch& batch)
        : loader_(&loader), chunk_(chunk), batch_(&batch) {}
    Loader* loader_;  ///< null: given away
    std::size_t chunk_;
    const LoadedBatch* batch_;
  };

  /// Arrays of equally many rows. Throws InputError for a plan without steps, fields that cannot be converted, or if
  /// even two batches take more than `memory_bytes`.
  Loader(std::vector<Array> arrays, LoaderOptions options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// The next batch, in order. Throws what making it threw, or DeviceError naming the stage that nothing comes from.
  Lease next();

  /// Whether next() may be called: false while too many batches are held.
  [[nodiscard]] bool has_room() const;
  /// Whether next() would give a batch without waiting or making it.
  [[nodiscard]] bool is_ready() const;

  /// Steps that next() has given, over all epochs, `first_step` included: where another loader would go on.
  [[nodiscard]] std::int64_t steps_done() const;

  [[nodiscard]] const std::vector<BatchField>& fields() const;  ///< the fields of each batch
  /// The times until now, unfinished work included. The difference of two calls holds even for a process that was
  /// stopped before the first.
  [[nodiscard]] LoaderTimes times() const;
  [[nodiscard]] std::int64_t depth() const;
  [[nodiscard]] std::uint64_t slab_bytes() const;  ///< memory of the batches made ahead
  [[nodiscard]] SharedSlab shared() const;         ///< where they lie, if they were to be shared

 private:
  class Ring;
  std::unique_ptr<Ring> ring_;
};

}  // namespace regatta::data
