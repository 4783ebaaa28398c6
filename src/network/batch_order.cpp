#include "network/batch_order.h"

#include <utility>

#include "workloads/random.h"

namespace breakeven {

std::vector<std::uint32_t> epoch_order(std::uint32_t count, std::uint64_t seed, std::uint64_t epoch) {
  return shuffled_indices(count, RandomStream(seed, stream::batch_order + epoch));
}

std::vector<std::uint32_t> rows_from(std::uint32_t first, std::int64_t batch, std::uint32_t count) {
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(batch));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>((first + i) % count);
  return rows;
}

BatchOrder::BatchOrder(std::uint32_t count, std::int64_t batch, std::uint64_t seed)
    : count_(count), batch_(static_cast<std::size_t>(batch)), seed_(seed) {
  restart();
}

void BatchOrder::restart() {
  epoch_ = 0;
  used_ = 0;
  now_ = epoch_order(count_, seed_, 0);
  next_.clear();
}

std::span<const std::uint32_t> BatchOrder::next() {
  if (used_ + batch_ > now_.size()) {
    make_ready();
    now_ = std::exchange(next_, {});
    ++epoch_;
    used_ = 0;
  }
  const auto rows = std::span(now_).subspan(used_, batch_);
  used_ += batch_;
  return rows;
}

void BatchOrder::make_ready() {
  if (next_.empty()) next_ = epoch_order(count_, seed_, epoch_ + 1);
}

}  // namespace breakeven
