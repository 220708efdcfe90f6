# shellcheck shell=bash disable=SC2034  # read by sweep.sbatch
# The settings that differ from cluster to cluster, and nothing else. Copy this file, change it, and name it with
# `sbatch --export=ALL,REGATTA_SITE=/path/to/site.sh`. Otherwise slurm/sweep.sbatch takes slurm/site.sh of the folder of
# submission, or the one beside itself.

# The program: a whole path, or one from the folder of submission or from this checkout. Load modules above this line
# if it needs them.
regatta=build/bin/regatta

# The command that starts one process for each task of the allocation. Debian's Open MPI needs pmix;
# where Slurm has none, leave it empty: `regatta run --ranks N` then starts mpirun by itself. A task
# that dies has to end the step (--kill-on-bad-exit): the others would wait for it until the time
# limit.
launch=(srun --mpi=pmix --kill-on-bad-exit=1)

# Where jobs may not be requeued, the job that goes on asks for the same nodes, tasks, cores, memory, GPUs, time,
# partition, account, QOS and reservation. Anything else that sbatch needs here, such as --constraint, stands in this.
chain_options=()
