// Compares the declarations of backends/cuda/nccl.h with the library's own header, where that is found.
#include "backends/cuda/nccl.h"

#if __has_include(<nccl.h>)
#include <nccl.h>

namespace ours = breakeven::cuda::nccl;
static_assert(sizeof(ours::UniqueId) == sizeof(ncclUniqueId));
static_assert(static_cast<int>(ours::success) == static_cast<int>(ncclSuccess));
#if NCCL_VERSION_CODE >= 21400  // earlier versions have no communicator that connects in the background
static_assert(static_cast<int>(ours::in_progress) == static_cast<int>(ncclInProgress));
#endif
static_assert(static_cast<int>(ours::int8) == static_cast<int>(ncclInt8));
static_assert(static_cast<int>(ours::float32) == static_cast<int>(ncclFloat32));
static_assert(static_cast<int>(ours::sum) == static_cast<int>(ncclSum));
static_assert(sizeof(ncclResult_t) == sizeof(ours::Result));
static_assert(sizeof(ncclDataType_t) == sizeof(ours::DataType));
#endif
