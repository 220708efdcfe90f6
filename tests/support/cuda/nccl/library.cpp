// NCCL between processes on the emulated device, in place of libnccl: sums in the order of ranks, calls that do not
// block, the refusals that the engine may meet, and the failures of orders.hpp. A sum is work of a stream: it ends when
// all ranks' devices have come to it, and not before.
#include "engine/cuda/nccl/library.hpp"

#include <csignal>
#include <cstring>
#include <memory>

#include "support/cuda/nccl/meeting.hpp"
#include "support/cuda/nccl/orders.hpp"
#include "support/cuda/runtime/enqueue.hpp"

namespace regatta::cuda_fakes::nccl {

namespace {

using engine::cuda::NcclComm;
using engine::cuda::NcclConfig;
using engine::cuda::NcclOperator;
using engine::cuda::NcclResult;
using engine::cuda::NcclType;
using engine::cuda::NcclUniqueId;

constexpr int kVersion = 22809;

struct Communicator {
  Orders orders;
  int rank = 0, ranks = 1;
  Table* table = nullptr;  ///< null: its id is nobody's
  bool is_formed = false;
  int sums = 0;  ///< sums that were issued
  NcclResult error = NcclResult::success;
  bool is_busy = false;    ///< the last call is still under way
  bool is_ending = false;  ///< it was to end while sums were under way
  std::string text;
  void* handle = nullptr;  ///< by which it is counted

  Seat& own() { return table->seats[static_cast<std::size_t>(rank)]; }
  template <class Holds>
  bool all(const Holds& holds) {
    for (int other = 0; other < ranks; ++other) {
      if (!holds(table->seats[static_cast<std::size_t>(other)])) return false;
    }
    return true;
  }
};

Communicator& of(NcclComm communicator) { return *reinterpret_cast<Communicator*>(communicator); }

NcclResult failed(Communicator& c, NcclResult error, const std::string& text) {
  c.text = text;
  return c.error = error;
}

NcclResult get_version(int* version) {
  *version = kVersion;
  return NcclResult::success;
}

const char* error_string(NcclResult result) {
  switch (result) {
    case NcclResult::success:
      return "no error";
    case NcclResult::system_error:
      return "unhandled system error";
    case NcclResult::invalid_usage:
      return "invalid usage";
    case NcclResult::remote_error:
      return "remote process exited or there was a network error";
    case NcclResult::in_progress:
      return "NCCL operation in progress";
  }
  return "unknown result code";
}

const char* last_error(NcclComm communicator) { return communicator == nullptr ? "" : of(communicator).text.c_str(); }

NcclResult get_unique_id(NcclUniqueId* id) {
  *id = make_meeting();
  return id->bytes[0] == 0 ? NcclResult::system_error : NcclResult::success;
}

void take_seat(Communicator& c) {
  cudaDeviceProp properties{};
  int device = 0;
  static_cast<void>(cudaGetDevice(&device));
  static_cast<void>(cudaGetDeviceProperties(&properties, device));
  std::memcpy(c.own().device.data(), properties.uuid.bytes, c.own().device.size());
  c.own().has_joined.store(1);
}

NcclResult init_rank(NcclComm* made, int ranks, NcclUniqueId id, int rank, NcclConfig* config) {
  auto c = std::make_unique<Communicator>();
  c->orders = orders_from_environment();
  c->rank = rank;
  c->ranks = ranks;
  const bool is_ordered = !c->orders.rank || *c->orders.rank == rank;
  if (is_ordered && c->orders.init == "kill") ::raise(SIGKILL);
  const bool fits = config->magic == 0xcafebeef && config->blocking == 0 && rank < ranks && ranks <= kMostRanks;
  if (!fits || (is_ordered && c->orders.init == "fail")) return NcclResult::invalid_usage;
  c->table = join_meeting(id);
  if (c->table != nullptr && !(is_ordered && c->orders.init == "hang")) take_seat(*c);
  c->handle = make_library_handle();
  *made = reinterpret_cast<NcclComm>(c.release());
  return NcclResult::in_progress;
}

NcclResult form(Communicator& c) {
  if (c.table == nullptr || !c.all([](const Seat& seat) { return seat.has_joined.load() == 1; }))
    return NcclResult::in_progress;
  c.is_formed = true;
  for (int other = 0; other < c.ranks; ++other) {
    const Seat& seat = c.table->seats[static_cast<std::size_t>(other)];
    if (other == c.rank || seat.device != c.own().device) continue;
    return failed(c, NcclResult::invalid_usage,
                  "Duplicate GPU detected : rank " + std::to_string(c.rank) + " and rank " + std::to_string(other));
  }
  return NcclResult::success;
}

NcclResult async_error(NcclComm communicator, NcclResult* result) {
  Communicator& c = of(communicator);
  *result = c.error;
  if (c.error == NcclResult::success && !c.is_formed) *result = form(c);
  if (c.error == NcclResult::success && c.is_ending) *result = NcclResult::in_progress;
  if (c.error == NcclResult::success && c.is_busy) {
    c.is_busy = false;
    *result = NcclResult::in_progress;
  }
  return NcclResult::success;
}

/// Until all other ranks have taken the sum before, and have posted this one.
bool have_come(Communicator& c, int number, const float* from, std::size_t count) {
  if (c.orders.means(c.orders.hang, number, c.rank)) return false;
  if (c.orders.means(c.orders.async, number, c.rank)) {
    failed(c, NcclResult::remote_error, "socketProgress: Connection closed by remote peer");
    return false;
  }
  const auto turn = static_cast<std::uint64_t>(number);
  if (c.own().posted.load() == turn) {
    if (!c.all([&](const Seat& seat) { return seat.taken.load() >= turn; })) return false;
    if (c.orders.means(c.orders.kill, number, c.rank)) ::raise(SIGKILL);
    std::memcpy(numbers_of(c.table, c.rank), from, count * sizeof(float));
    c.own().count = count;
    c.own().posted.store(turn + 1);
  }
  return c.all([&](const Seat& seat) { return seat.posted.load() > turn; });
}

void add(Communicator& c, int number, float* to, std::size_t count) {
  std::memset(to, 0, count * sizeof(float));
  for (int other = 0; other < c.ranks; ++other) {
    if (c.table->seats[static_cast<std::size_t>(other)].count != count)
      complain("ncclAllReduce: rank " + std::to_string(other) + " sums another number of floats");
    const float* const numbers = numbers_of(c.table, other);
    for (std::size_t i = 0; i < count; ++i) to[i] += numbers[i];
  }
  c.own().taken.store(static_cast<std::uint64_t>(number) + 1);
}

NcclResult all_reduce(const void* from, void* to, std::size_t count, NcclType type, NcclOperator how,
                      NcclComm communicator, cudaStream_t stream) {
  Communicator& c = of(communicator);
  if (!c.is_formed || c.is_busy) return failed(c, NcclResult::invalid_usage, "the call before has not ended");
  if (is_capturing(stream)) return failed(c, NcclResult::invalid_usage, "the fake is not captured");
  const bool fits =
      type == NcclType::float32 && how == NcclOperator::sum && count > 0 && count * sizeof(float) <= kMostBytes;
  if (!fits) return failed(c, NcclResult::invalid_usage, "the fake sums floats, up to 128 MiB");
  const int number = c.sums++;
  if (c.orders.means(c.orders.fail, number, c.rank))
    return failed(c, NcclResult::system_error, "Call to recv failed : Connection reset by peer");
  if (c.orders.means(c.orders.other, number, c.rank) && count > 1) --count;
  Work work{"ncclAllReduce", WorkKind::kernel,
            [&c, number, to, count] { add(c, number, static_cast<float*>(to), count); }};
  work.is_ready = [&c, number, from, count] { return have_come(c, number, static_cast<const float*>(from), count); };
  work.ranges = {{from, count * sizeof(float), false, "what is summed"}, {to, count * sizeof(float), true, "the sums"}};
  if (enqueue(stream, std::move(work)) != cudaSuccess)
    return failed(c, NcclResult::invalid_usage, "the stream did not take it");
  c.is_busy = number % 3 == 0;
  return c.is_busy ? NcclResult::in_progress : NcclResult::success;
}

/// It is over once all sums are.
NcclResult finalize(NcclComm communicator) {
  Communicator& c = of(communicator);
  c.is_busy = true;
  c.is_ending = c.own().taken.load() < static_cast<std::uint64_t>(c.sums);
  return NcclResult::in_progress;
}

NcclResult destroy(NcclComm communicator) {
  const std::unique_ptr<Communicator> c(&of(communicator));
  drop_library_handle(c->handle);
  if (c->table != nullptr) leave_meeting(c->table);
  return NcclResult::success;
}

}  // namespace

}  // namespace regatta::cuda_fakes::nccl

namespace regatta::engine::cuda {

OpenedNccl open_nccl() {
  using namespace regatta::cuda_fakes::nccl;
  if (orders_from_environment().is_missing) return open_nccl_at("libnccl_of_nobody.so.2");
  return {NcclLibrary{get_version, error_string, last_error, get_unique_id, init_rank, async_error, all_reduce,
                      finalize, destroy},
          ""};
}

}  // namespace regatta::engine::cuda
