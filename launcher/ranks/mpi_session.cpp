#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "os/drain_signal.hpp"
#include "ranks/mpi_link.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"

namespace regatta::launcher {
namespace {

// Some combinations of srun and MPI start N singletons, each of which would run the whole sweep.
void refuse_singletons(int size) {
  const char* tasks = std::getenv("SLURM_NTASKS");
  const char* rank = std::getenv("SLURM_PROCID");
  if (size > 1 || tasks == nullptr || rank == nullptr || std::atoi(tasks) <= 1 ||
      std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr)
    return;
  throw InputError(
      fmt::format("Slurm started {} tasks, but MPI came up with one rank in each. Every task would run the whole "
                  "sweep. Start with `srun --mpi=pmix` or with mpirun",
                  tasks));
}

/// A rank that blocks in MPI burns a core, so it polls, ever more seldom. False once the deadline passed.
bool wait_for(MPI_Request& request, const Chores& chores, Deadline deadline) {
  constexpr double shortest_pause_seconds = 20e-6;
  constexpr double longest_pause_seconds = 20e-3;
  int done = 0;
  for (double pause_seconds = shortest_pause_seconds;;
       pause_seconds = std::min(2 * pause_seconds, longest_pause_seconds)) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
    if (deadline.passed()) return false;
    wait_readable({}, Deadline::after(pause_seconds), chores);
  }
}

/// As long as the chores let it: rank 0 may read a large sweep.
void wait_for(MPI_Request& request, const Chores& chores) {
  wait_for(request, chores, Deadline{std::numeric_limits<double>::infinity()});
}

/// Whether all ranks have come here within some seconds.
bool all_meet() {
  constexpr double meeting_seconds = 4;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  return wait_for(
      request, [] { return 1.0; }, Deadline::after(meeting_seconds));
}

}  // namespace

MpiSession::MpiSession() {
  const LeaveAtDrain one_may_have_died;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &local_rank_);
  MPI_Comm_size(node, &local_size_);
  host_ = rank_;
  MPI_Bcast(&host_, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  if (size_ == 1) refuse_singletons(size_);
}

MpiSession::~MpiSession() {
  const LeaveAtDrain one_may_have_died;
  if (all_meet()) {
    MPI_Finalize();
  } else {
    log::warn("a rank of this job does not come to its end (it has died?); leaving without it");
  }
}

std::string MpiSession::broadcast(std::string text, const Chores& chores) const {
  unsigned long long size = text.size();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD, &request);
  wait_for(request, chores);
  text.resize(size);
  MPI_Ibcast(text.data(), static_cast<int>(size), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  wait_for(request, chores);
  return text;
}

std::vector<std::string> MpiSession::gather(const std::string& text, const Chores& chores) const {
  const int own = static_cast<int>(text.size());
  std::vector<int> sizes(static_cast<std::size_t>(size_));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
  wait_for(request, chores);
  std::vector<int> begins(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
  std::string all(static_cast<std::size_t>(begins.back() + sizes.back()), '\0');
  MPI_Iallgatherv(text.data(), own, MPI_BYTE, all.data(), sizes.data(), begins.data(), MPI_BYTE, MPI_COMM_WORLD,
                  &request);
  wait_for(request, chores);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    texts.push_back(all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(sizes[i])));
  return texts;
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text, static_cast<std::size_t>(length));
  return whole.substr(0, whole.find(','));
}

}  // namespace regatta::launcher
