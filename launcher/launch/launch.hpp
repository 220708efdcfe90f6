// How the processes of a program with several ranks start: their variables, or the words of mpirun and srun.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

/// The slot of one rank.
struct RankPlace {
  std::string node;         ///< two that say the same are on one node
  std::string host;         ///< the node's name, as mpirun and srun know it
  std::string address;      ///< its name in the network
  std::vector<int> cpus;    ///< cores for the rank, as the kernel numbers them
  std::string device = {};  ///< CUDA_VISIBLE_DEVICES of the slot; empty: it has none
  bool operator==(const RankPlace&) const = default;
};

// free_port.cpp: A port at which ranks may meet.

/// A TCP port that nothing listens on just now. Somebody else may take it before the program does, as with torchrun:
/// the program then fails, and says so. Throws InputError where the kernel has none.
std::uint16_t free_port();

// rank_variables.cpp: The variables that each rank of a program finds in its environment.

using Variables = std::map<std::string, std::string>;

/// By rank. RANK, LOCAL_RANK, WORLD_SIZE and the others that PyTorch, Lightning, Accelerate and Transformers read.
/// `port`: where rank 0 is met. Ranks of one node meet by the loopback.
std::vector<Variables> rank_variables(sweep::Launch launch, const std::vector<RankPlace>& places, std::uint16_t port);

/// CUDA_VISIBLE_DEVICES for the ranks on the node of `place`: the devices of all its slots, so that LOCAL_RANK counts
/// them. Empty where one of them has none.
std::string devices_of_node(const std::vector<RankPlace>& places, const RankPlace& place);

/// The cores of all ranks on the node of `place`, sorted.
std::vector<int> cores_of_node(const std::vector<RankPlace>& places, const RankPlace& place);

/// How many nodes the ranks are on.
std::size_t node_count(const std::vector<RankPlace>& places);

// launch_words.cpp: The command lines of programs that start the ranks, in front of a program. mpirun's words are those
// of Open MPI 4.

/// The text of Open MPI's rankfile: the host and cores of each rank.
std::string rankfile(const std::vector<RankPlace>& places);

/// `mpirun` with hosts, number of processes and cores; `file` holds rankfile(places). Open MPI refuses root, as whom
/// containers run, unless it is told.
std::vector<std::string> mpirun_words(const std::vector<RankPlace>& places, const std::string& file, bool as_root);

/// `srun` inside a job, beside the steps that run there. Each rank is bound to the cores of its slot where the nodes
/// number them alike, which the slots of a job mostly do; else Slurm chooses the cores.
std::vector<std::string> srun_words(const std::vector<RankPlace>& places);

}  // namespace regatta::launcher
