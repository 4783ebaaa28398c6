#include "workloads/batch_order.h"

#include <algorithm>
#include <utility>

#include "workloads/random.h"

namespace breakeven {

std::vector<std::uint32_t> epoch_order(std::uint32_t count, std::uint64_t seed, std::uint64_t epoch) {
  return shuffled_indices(count, RandomStream(seed, stream::batch_order + epoch % distinct_orders));
}

std::vector<std::uint32_t> rows_from(std::uint32_t first, std::int64_t batch, std::uint32_t count) {
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(batch));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>((first + i) % count);
  return rows;
}

BatchOrder::BatchOrder(std::uint32_t count, std::int64_t batch, std::uint64_t seed, MakeEpochOrder make)
    : count_(count), batch_(static_cast<std::size_t>(batch)), seed_(seed), make_(std::move(make)) {}

std::span<const std::uint32_t> BatchOrder::take(Place& place) {
  if (place.used + batch_ > count_) place = {place.epoch + 1, 0};
  make_orders(place.epoch + 1);
  const auto rows = std::span(orders_[place.epoch % distinct_orders]).subspan(place.used, batch_);
  place.used += batch_;
  return rows;
}

void BatchOrder::prepare(std::int64_t batches) {
  const std::size_t last = next_.used / batch_ + static_cast<std::size_t>(batches) - 1;
  make_orders(next_.epoch + last / (count_ / batch_) + 1);
}

std::vector<std::uint32_t> BatchOrder::upcoming(std::int64_t batches) {
  std::vector<std::uint32_t> rows;
  rows.reserve(static_cast<std::size_t>(batches) * batch_);
  Place place = next_;
  for (std::int64_t i = 0; i < batches; ++i) {
    const auto batch = take(place);
    rows.insert(rows.end(), batch.begin(), batch.end());
  }
  return rows;
}

void BatchOrder::make_orders(std::uint64_t epochs) {
  while (orders_.size() < std::min(epochs, distinct_orders))
    orders_.push_back(make_(count_, seed_, orders_.size()));
}

}  // namespace breakeven
