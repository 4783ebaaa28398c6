// Times MPI_Allreduce in a plain loop, as osu_allreduce does, for comparison with `breakeven run all-reduce`:
//   mpirun -np 2 --bind-to none build/bench-bare-all-reduce [MICROSECONDS [single]]
// Each rank keeps to a core of its own, as breakeven's ranks do. MICROSECONDS: all ranks sleep before each
// round, as programs do that take turns with others (default: 0). "single": asks MPI for MPI_THREAD_SINGLE,
// as osu_allreduce does, which spares locks. Programs that compute on several threads, as breakeven's, need
// MPI_THREAD_FUNNELED, which is the default.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "host/cpu.h"
#include "host/steady_clock.h"
#include "host/threads.h"

namespace {

using namespace breakeven;

/// Seconds of one call, the median over `rounds` of the mean over `calls`, on the slowest rank.
double seconds_of_call(std::vector<float>& from, std::vector<float>& to, int count, int calls,
                       std::chrono::microseconds rest) {
  constexpr int rounds = 101;
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    std::this_thread::sleep_for(rest);
    MPI_Barrier(MPI_COMM_WORLD);
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i)
      MPI_Allreduce(from.data(), to.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    double seconds = seconds_since(start) / calls;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    times.push_back(seconds);
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[rounds / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_single = argc > 2 && std::string_view(argv[2]) == "single";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, is_single ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED, &provided);
  const std::chrono::microseconds rest(argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (const auto cpus = cpus_for(rank + 1); !cpus.empty()) set_cpus_of_thread(0, {cpus.back()});
  if (rank == 0) std::printf("%12s %12s\n", "bytes", "us");
  constexpr int most = 1 << 24;  // values
  std::vector<float> from(most, 1), to(most);
  for (int count = 1 << 8; count <= most; count *= 4) {
    const int calls = std::max(1, (1 << 21) / count / 8);
    const double seconds = seconds_of_call(from, to, count, calls, rest);
    if (rank == 0) std::printf("%12zu %12.3f\n", count * sizeof(float), seconds * 1e6);
  }
  MPI_Finalize();
  return 0;
}
