// An MPI whose library prints, or whose sums are wrong on one rank.
#include <mpi.h>

#include <array>

#include "fault.h"

namespace {

using namespace breakeven::planted;

constexpr std::array known{"prints", "wrong sum"};

bool is_rank(int wanted) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == wanted;
}

}  // namespace

extern "C" int MPI_Barrier(MPI_Comm communicator) {
  if (fault_of(known) == "prints") {
    std::puts("a library prints on standard output");
    std::fflush(stdout);
  }
  return real<int(MPI_Comm)>("MPI_Barrier")(communicator);
}

extern "C" int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation,
                             MPI_Comm communicator) {
  const int status = real<int(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm)>("MPI_Allreduce")(
      from, to, count, type, operation, communicator);
  if (fault_of(known) == "wrong sum" && is_rank(1) && count > 0) static_cast<float*>(to)[count / 2] += 1;
  return status;
}
