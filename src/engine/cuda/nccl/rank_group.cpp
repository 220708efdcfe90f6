#include "engine/cuda/nccl/rank_group.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <utility>

#include "engine/cuda/nccl/running_time.hpp"
#include "regatta/base/shared_memory.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr double kFarewellSeconds = 5;  // in which a group ends; then its rest is left to the end of the process
constexpr double kSecondsPerMillisecond = 1e-3;
constexpr const char* kRepeat = "(another rank hangs, died, or is far behind); look at what the other ranks tell";

const NcclLibrary& installed() {
  static const OpenedNccl opened = open_nccl();
  if (!opened.library) throw InputError(opened.missing);
  return *opened.library;
}

EventHandle taken_or_made(std::vector<EventHandle>& idle) {
  if (idle.empty()) return make_event();
  EventHandle taken = std::move(idle.back());
  idle.pop_back();
  return taken;
}

bool is_passed(cudaEvent_t event) {
  const cudaError_t error = cudaEventQuery(event);
  if (error != cudaErrorNotReady) require(error, "cudaEventQuery");
  return error == cudaSuccess;
}

}  // namespace

RankGroup::RankGroup(const NcclLibrary& library, const GroupPlace& place) : library_(library), place_(place) {
  require(cudaSetDevice(place.device), "cudaSetDevice");
  if (!place.stop.empty()) {
    const UniqueFd stop = open_shared_memory(place.stop, O_RDONLY);
    stop_ = map_shared(stop.get(), shared_memory_bytes(stop.get()), PROT_READ);
  }
  stream_ = make_stream();
  ready_ = make_event();
  NcclConfig config;
  accept(library_.init_rank(&communicator_, place.ranks, unique_id_of(place.id), place.rank, &config),
         "ncclCommInitRankConfig");
  is_formed_ = true;
}

RankGroup::~RankGroup() {
  if (communicator_ == nullptr || is_lost()) return;
  NcclResult result = library_.finalize(communicator_);
  RunningTime time(kFarewellSeconds);
  while (result == NcclResult::in_progress && time.pause()) {
    if (library_.async_error(communicator_, &result) != NcclResult::success) return;
  }
  if (result == NcclResult::success) static_cast<void>(library_.destroy(communicator_));
}

bool RankGroup::is_stopped() const {
  return stop_ != nullptr &&
         reinterpret_cast<const std::atomic<std::uint64_t>*>(stop_.get())->load(std::memory_order_relaxed) != 0;
}

/// The sum or step that is waited for, as far as that is known.
std::string RankGroup::where() const {
  if (!is_formed_)
    return fmt::format("the group of {} ranks did not form (this is rank {})", place_.ranks, place_.rank);
  for (const Sum& sum : sums_) {
    if (cudaEventQuery(sum.done.get()) == cudaErrorNotReady)
      return fmt::format("rank {} has no sums of bucket {} of step {}", place_.rank, sum.bucket, sum.step);
  }
  return fmt::format("rank {} did not get beyond step {}", place_.rank, step_);
}

void RankGroup::lose(const std::string& what, const std::string& why_and_remedy) {
  lost_ = where() + ": " + what + ' ' + why_and_remedy;
  throw LostDevice(lost_);
}

template <class Done>
void RankGroup::poll(const Done& is_done) {
  RunningTime time(place_.patience_seconds);
  while (!is_done()) {
    const bool goes_on = time.pause();
    if (!time.is_long()) continue;
    if (is_stopped()) lose("the group was told to stop", "(another rank failed first); its own text says why");
    NcclResult error = NcclResult::success;
    static_cast<void>(library_.async_error(communicator_, &error));
    if (error != NcclResult::success && error != NcclResult::in_progress)
      lose(fmt::format("NCCL: {}: {}", library_.error_string(error), library_.last_error(communicator_)), kRepeat);
    if (!goes_on) lose(fmt::format("no end after {:g} s", place_.patience_seconds), kRepeat);
  }
}

/// A call that does not block is accepted once NCCL has taken it.
void RankGroup::accept(NcclResult result, const char* call) {
  if (result == NcclResult::in_progress) {
    poll([&] {
      static_cast<void>(library_.async_error(communicator_, &result));
      return result != NcclResult::in_progress;
    });
  }
  if (result == NcclResult::success) return;
  lose(fmt::format("{}: {}: {}", call, library_.error_string(result), library_.last_error(communicator_)), kRepeat);
}

void RankGroup::sum(cudaStream_t compute, float* memory, std::int64_t count) {
  if (is_lost()) throw LostDevice(lost_);
  sums_.push_back({step_, bucket_++, taken_or_made(idle_)});
  require(cudaEventRecord(ready_.get(), compute), "cudaEventRecord");
  require(cudaStreamWaitEvent(stream_.get(), ready_.get(), 0), "cudaStreamWaitEvent");
  accept(library_.all_reduce(memory, memory, static_cast<std::size_t>(count), NcclType::float32, NcclOperator::sum,
                             communicator_, stream_.get()),
         "ncclAllReduce");
  require(cudaEventRecord(sums_.back().done.get(), stream_.get()), "cudaEventRecord");
}

void RankGroup::end_step(cudaStream_t compute) {
  expect(!sums_.empty(), "a step has sums");
  Step step{};
  if (idle_steps_.empty()) {
    step = {make_timed_event(), make_timed_event()};
  } else {
    step = std::move(idle_steps_.back());
    idle_steps_.pop_back();
  }
  require(cudaEventRecord(step.written.get(), compute), "cudaEventRecord");
  require(cudaStreamWaitEvent(compute, sums_.back().done.get(), 0), "cudaStreamWaitEvent");
  require(cudaEventRecord(step.summed.get(), compute), "cudaEventRecord");
  steps_.push_back(std::move(step));
  await(1);
  ++step_;
  bucket_ = 0;
}

void RankGroup::await(std::size_t steps) {
  if (is_lost()) throw LostDevice(lost_);
  while (steps_.size() > steps) {
    poll([&] { return is_passed(steps_.front().summed.get()); });
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, steps_.front().written.get(), steps_.front().summed.get()),
            "cudaEventElapsedTime");
    exposed_seconds_ += static_cast<double>(milliseconds) * kSecondsPerMillisecond;
    idle_steps_.push_back(std::move(steps_.front()));
    steps_.pop_front();
    forget_sums_of(sums_.front().step);
  }
}

void RankGroup::forget_sums_of(std::uint64_t step) {
  while (!sums_.empty() && sums_.front().step == step) {
    idle_.push_back(std::move(sums_.front().done));
    sums_.pop_front();
  }
}

std::string new_group_id(bool is_made) {
  const NcclLibrary& library = installed();
  if (!is_made) return {};
  NcclUniqueId id{};
  const NcclResult result = library.get_unique_id(&id);
  if (result == NcclResult::success) return text_of(id);
  throw DeviceError(
      fmt::format("ncclGetUniqueId: {}: {} (ranks find each other by it); look at NCCL_SOCKET_IFNAME, and "
                  "at what NCCL_DEBUG=WARN tells",
                  library.error_string(result), library.last_error(nullptr)));
}

std::unique_ptr<DeviceGroup> join_group(const GroupPlace& place) {
  return std::make_unique<RankGroup>(installed(), place);
}

}  // namespace regatta::engine::cuda
