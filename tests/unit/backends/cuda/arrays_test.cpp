// Tests one thread of the CUDA backend's kernels on long arrays, on the CPU.
#include "backends/cuda/kernels/arrays.h"

#include <gmock/gmock.h>
#include <sys/mman.h>

#include <vector>

#include "workloads/random.h"

namespace breakeven::cuda {
namespace {

/// Calls body(place) for all threads of a launch.
template <typename Body>
void for_each_thread(std::int64_t blocks, int threads, const Body& body) {
  for (std::int64_t block = 0; block < blocks; ++block) {
    for (int thread = 0; thread < threads; ++thread)
      body(ThreadPlace{.block = block, .blocks = blocks, .thread = thread, .threads = threads});
  }
}

/// Pack i holds i in its first value; counts how often it was asked for.
struct Counted {
  using Read = std::int64_t;
  std::vector<int>* asked;
  Read read(std::int64_t i) const {
    ++(*asked)[static_cast<std::size_t>(i)];
    return i;
  }
  static Pack<double> of(std::int64_t, Read read) { return {{static_cast<double>(read), -1}}; }
};

template <int depth>
void expect_each_is_written_once() {
  constexpr int threads = 4;
  for (const std::int64_t packs : {1, 4, 15, 16, 17, 63, 64, 100}) {
    for (const std::int64_t blocks : {1, 2, 3, 30}) {
      std::vector<int> asked(static_cast<std::size_t>(packs));
      std::vector<Pack<double>> out(static_cast<std::size_t>(packs) + 8, Pack<double>{{-7, -7}});
      for_each_thread(blocks, threads, [&](const ThreadPlace& at) {
        write_part<depth>(Counted{&asked}, out.data(), packs, at);
      });
      EXPECT_THAT(asked, testing::Each(1)) << packs << " packs, " << blocks << " blocks";
      for (std::int64_t i = 0; i < std::ssize(out); ++i) {
        EXPECT_EQ(out[static_cast<std::size_t>(i)].values[0], i < packs ? static_cast<double>(i) : -7.0)
            << packs << " packs, " << blocks << " blocks";
      }
    }
  }
}

TEST(CudaArrays, EachPackIsWrittenOnceAndNoneBehindThem) {
  expect_each_is_written_once<1>();
  expect_each_is_written_once<2>();
  expect_each_is_written_once<4>();
}

template <typename T, int depth>
void expect_sums() {
  for (const std::int64_t packs : {1, 5, 64, 1001}) {
    std::vector<Pack<T>> values(static_cast<std::size_t>(packs));
    double truth = 0;
    for (std::int64_t i = 0; i < packs; ++i) {
      for (int k = 0; k < Pack<T>::size; ++k) {
        const auto number = static_cast<T>(i * Pack<T>::size + k + 1);
        values[static_cast<std::size_t>(i)].values[k] = number;
        truth += static_cast<double>(number);
      }
    }
    for (const std::int64_t blocks : {1, 3, 20}) {
      double sum = 0;
      for_each_thread(blocks, 4, [&](const ThreadPlace& at) {
        sum += static_cast<double>(sum_part<depth>(values.data(), packs, at));
      });
      EXPECT_EQ(sum, truth) << packs << " packs, " << blocks << " blocks";
    }
  }
}

TEST(CudaArrays, PartsAddUpToTheSum) {
  expect_sums<float, 1>();
  expect_sums<float, 4>();
  expect_sums<double, 2>();
  expect_sums<double, 4>();
}

/// An array of any size, on systems that provide memory only when it is touched.
template <typename T>
class LargeArray {
 public:
  explicit LargeArray(std::int64_t count)
      : bytes_(static_cast<std::size_t>(count) * sizeof(T)),
        data_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                   0)) {}
  ~LargeArray() {
    if (data_ != MAP_FAILED) munmap(data_, bytes_);
  }
  LargeArray(const LargeArray&) = delete;
  LargeArray& operator=(const LargeArray&) = delete;
  T* data() { return data_ == MAP_FAILED ? nullptr : static_cast<T*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

TEST(CudaArrays, ElementsBeyond32BitsAreReached) {
  constexpr std::int64_t packs = (std::int64_t{1} << 31) + 100;
  constexpr int depth = 4;
  constexpr int threads = 256;
  LargeArray<Pack<float>> array(packs);
  if (array.data() == nullptr) GTEST_SKIP() << "no address space for " << packs << " packs";
  const std::int64_t blocks = (packs + depth * threads - 1) / (depth * threads);
  float sum = 0;
  for (int thread = 0; thread < threads; ++thread) {
    const ThreadPlace last{.block = blocks - 1, .blocks = blocks, .thread = thread, .threads = threads};
    write_part<depth>(Uniform<float, RandomStream>{RandomStream(7, 0)}, array.data(), packs, last);
    sum += sum_part<depth>(array.data(), packs, last);
  }
  double truth = 0;
  const std::int64_t first = 4 * (blocks - 1) * depth * threads;
  for (std::int64_t i = first; i < 4 * packs; ++i) truth += input_value(Dtype::f32, RandomStream(7, 0), i);
  EXPECT_NEAR(static_cast<double>(sum), truth, 1e-4);
  EXPECT_EQ(array.data()[packs - 1].values[3],
            RandomStream(7, 0).uniform(static_cast<std::uint64_t>(4 * packs - 1)));
}

}  // namespace
}  // namespace breakeven::cuda
