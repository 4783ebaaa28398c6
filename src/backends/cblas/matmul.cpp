// Matrix products. The library's own threading is one of several ways to share the work, and gemm is one of
// the routines that can compute a product of this size. If tuned, each way is timed with each routine during
// preparation.
#include "workloads/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "backends/cblas/gemm.h"
#include "backends/cblas/library.h"
#include "backends/cblas/narrow.h"
#include "worker/backend.h"
#include "worker/host_operation.h"
#include "worker/operand_sets.h"
#include "worker/threads.h"
#include "worker/tuning.h"
#include "workloads/parallel.h"

namespace breakeven::cblas {
namespace {

/// A part of C of one product in the batch.
struct Tile {
  std::int64_t product = 0, row = 0, rows = 0, column = 0, columns = 0;
};

/// Cuts C of every product in the batch into down x across tiles of about equal size.
std::vector<Tile> cut(const Matmul& p, std::int64_t down, std::int64_t across) {
  std::vector<Tile> tiles;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t i = 0; i < down; ++i) {
      for (std::int64_t j = 0; j < across; ++j) {
        const Part rows = part_of(p.m, i, down);
        const Part columns = part_of(p.n, j, across);
        tiles.push_back({.product = b,
                         .row = rows.first,
                         .rows = rows.count,
                         .column = columns.first,
                         .columns = columns.count});
      }
    }
  }
  return tiles;
}

/// A way to compute all products.
struct Way {
  std::string name;
  std::vector<Tile> tiles;
  int library_threads = 1;  // of each library call
  int loop_threads = 1;     // that compute tiles
  Routine routine = Routine::gemm;
};

constexpr double flop_worth_sharing = 2.0 * 512 * 512 * 512;  // above, one thread alone cannot win

std::vector<Way> ways_of_sharing(const Matmul& p) {
  const int all = threads();
  if (all == 1) return {{.name = "library on one thread", .tiles = cut(p, 1, 1)}};
  std::vector<Way> ways{{.name = "threads by library", .tiles = cut(p, 1, 1), .library_threads = all}};
  if (p.flop() < flop_worth_sharing) ways.push_back({.name = "one thread", .tiles = cut(p, 1, 1)});
  if (p.batch > 1)
    ways.push_back({.name = "one thread a product", .tiles = cut(p, 1, 1), .loop_threads = all});
  if (p.batch < 4 * all) {
    for (int down = 1; down <= all; ++down) {
      const int across = all / down;
      if (down * across != all || down > p.m || across > p.n) continue;
      ways.push_back({.name = fmt::format("one thread for each of {} x {} parts of C", down, across),
                      .tiles = cut(p, down, across),
                      .loop_threads = all});
    }
  }
  return ways;
}

std::vector<Way> with_each(const std::vector<Routine>& routines, const std::vector<Way>& ways) {
  std::vector<Way> all;
  for (const Routine routine : routines) {
    for (const Way& way : ways) {
      all.push_back(way);
      all.back().routine = routine;
    }
  }
  return all;
}

/// The common part of all products: the chosen way.
class Product : public HostOperation {
 public:
  void run() override {
    tensors_.next();
    parallel_items(std::ssize(way_->tiles), way_->loop_threads, [this](std::int64_t i, int thread) {
      compute(way_->tiles[static_cast<std::size_t>(i)], thread);
    });
  }

  std::string algorithm() const override {
    return several_routines_ ? fmt::format("{}, {}", routine_name(way_->routine), way_of_sharing())
                             : way_of_sharing();
  }

 protected:
  Product(const Case& problem, std::uint64_t seed)
      : HostOperation(HostTensors::of(Matmul(problem.parameters), seed, operand_sets_on_host(problem))),
        p_(problem.parameters) {}

  /// Computes one tile of C on thread `thread`.
  virtual void compute(const Tile& tile, int thread) = 0;

  void choose(const std::vector<Way>& ways) {
    const auto routines = routines_for(p_.m, p_.n, p_.k);
    several_routines_ = p_.tuned && routines.size() > 1;
    ways_ = p_.tuned ? with_each(routines, ways) : std::vector{ways.front()};
    const auto select = [this](std::size_t i) {
      way_ = &ways_[i];
      let_library_use(way_->library_threads);
    };
    if (ways_.size() == 1) return select(0);
    select_fastest(ways_.size(), select, [this] { run(); });
  }

  Routine routine() const { return way_->routine; }

  /// The name of the way without the routine.
  std::string way_of_sharing() const {
    return ways_.size() == 1 ? way_->name
                             : fmt::format("{} (tuned: best of {} ways)", way_->name, ways_.size());
  }

  // Offsets in the stored operands at which a part of op(A), op(B) or C begins.
  std::int64_t offset_a(const Tile& tile, std::int64_t l) const {
    return p_.index_a(tile.product, tile.row, l);
  }
  std::int64_t offset_b(const Tile& tile, std::int64_t l) const {
    return p_.index_b(tile.product, l, tile.column);
  }
  std::int64_t offset_c(const Tile& tile) const {
    return (tile.product * p_.m + tile.row) * p_.n + tile.column;
  }

  Matmul p_;

 private:
  std::vector<Way> ways_;
  const Way* way_ = nullptr;
  bool several_routines_ = false;
};

/// Products in the library's own element types.
template <typename T>
class NativeProduct final : public Product {
 public:
  NativeProduct(const Case& problem, std::uint64_t seed) : Product(problem, seed) {
    choose(ways_of_sharing(p_));
  }

 private:
  void compute(const Tile& tile, int) override {
    multiply(routine(), tile.rows, tile.columns, p_.k,
             Matrix<T>{tensors_.first_as<T>() + offset_a(tile, 0), p_.stride_a(), p_.transpose_a},
             Matrix<T>{tensors_.second_as<T>() + offset_b(tile, 0), p_.stride_b(), p_.transpose_b}, T{0},
             tensors_.output_as<T>() + offset_c(tile), p_.n);
  }
};

/// Products of 16-bit floats: blocks of the operands are converted to f32 in the cache and multiplied, and a
/// finished tile is rounded. With blocks of 512 the conversions are a small part of the work, and the blocks
/// of a thread take 3 MiB.
class WidenedProduct final : public Product {
 public:
  WidenedProduct(const Case& problem, std::uint64_t seed)
      : Product(problem, seed), workspace_(threads() * 3 * side * side) {
    const std::int64_t down = parts(p_.m);
    const std::int64_t across = parts(p_.n);
    std::vector<Way> ways;
    const int all = threads();
    if (all == 1 || p_.flop() < flop_worth_sharing)
      ways.push_back({.name = "one thread", .tiles = cut(p_, down, across)});
    if (all > 1) {
      const auto [finer_down, finer_across] = fine_enough(down, across, all);
      ways.push_back(
          {.name = fmt::format("one thread for each of {} x {} parts of C", finer_down, finer_across),
           .tiles = cut(p_, finer_down, finer_across),
           .loop_threads = all});
    }
    choose(ways);
  }

  std::string algorithm() const override {
    return fmt::format("s{} on blocks widened to f32, {}", routine_name(routine()), way_of_sharing());
  }

 private:
  static constexpr std::int64_t side = 512;
  static std::int64_t parts(std::int64_t length) { return (length + side - 1) / side; }

  /// Halves tiles until all threads have the same number, or until the difference does not matter.
  std::pair<std::int64_t, std::int64_t> fine_enough(std::int64_t down, std::int64_t across, int all) const {
    const auto enough = [&] {
      const std::int64_t tiles = p_.batch * down * across;
      return tiles % all == 0 || tiles >= 8 * all;
    };
    while (!enough() && (down < p_.m || across < p_.n)) {
      const bool taller = p_.m * across >= p_.n * down;
      std::int64_t& halved = (taller && down < p_.m) || across >= p_.n ? down : across;
      halved = std::min(halved * 2, &halved == &down ? p_.m : p_.n);
    }
    return {down, across};
  }

  /// Converts a stored block, rows x columns, to f32, with its rows stored contiguously in `to`.
  void widen_block(const std::uint16_t* from, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                   float* to) const {
    for (std::int64_t i = 0; i < rows; ++i) widen(p_.dtype, from + i * stride, to + i * columns, columns);
  }

  void compute(const Tile& tile, int thread) override {
    float* a = workspace_.data() + thread * 3 * side * side;
    float* b = a + side * side;
    float* c = b + side * side;
    for (std::int64_t l = 0; l < p_.k; l += side) {
      const std::int64_t length = std::min(side, p_.k - l);
      const auto stored = [](bool transposed, std::int64_t rows, std::int64_t columns) {
        return transposed ? std::pair(columns, rows) : std::pair(rows, columns);
      };
      const auto [a_rows, a_columns] = stored(p_.transpose_a, tile.rows, length);
      const auto [b_rows, b_columns] = stored(p_.transpose_b, length, tile.columns);
      widen_block(tensors_.first_as<std::uint16_t>() + offset_a(tile, l), p_.stride_a(), a_rows, a_columns,
                  a);
      widen_block(tensors_.second_as<std::uint16_t>() + offset_b(tile, l), p_.stride_b(), b_rows, b_columns,
                  b);
      multiply(routine(), tile.rows, tile.columns, length, Matrix<float>{a, a_columns, p_.transpose_a},
               Matrix<float>{b, b_columns, p_.transpose_b}, l == 0 ? 0.0F : 1.0F, c, tile.columns);
    }
    std::uint16_t* result = tensors_.output_as<std::uint16_t>() + offset_c(tile);
    for (std::int64_t i = 0; i < tile.rows; ++i)
      narrow(p_.dtype, c + i * tile.columns, result + i * p_.n, tile.columns);
  }

  Buffer<float> workspace_;
};

std::unique_ptr<Prepared> prepare(const Case& problem, std::uint64_t seed) {
  switch (problem.dtype()) {
    case Dtype::f64:
      return std::make_unique<NativeProduct<double>>(problem, seed);
    case Dtype::f32:
      return std::make_unique<NativeProduct<float>>(problem, seed);
    default:
      return std::make_unique<WidenedProduct>(problem, seed);
  }
}

const OperationRegistration matmul_registered({.op = "matmul",
                                               .dtypes = fixed_dtypes({Dtype::f64, Dtype::f32, Dtype::bf16,
                                                                       Dtype::f16}),
                                               .prepare = prepare});

}  // namespace
}  // namespace breakeven::cblas
