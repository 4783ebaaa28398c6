#include "session/measuring_session.h"

#include <utility>

namespace breakeven {

std::optional<Round> MeasuringSession::Attempts::add(const Round& round) {
  takes_again_ = true;
  if (round.throttled) return std::nullopt;
  if (!best_ || round.own_speed.value_or(1) > best_->own_speed.value_or(1)) best_ = round;
  takes_again_ = !best_->is_undisturbed() && session_.patience() > 0;
  if (!takes_again_) return std::exchange(best_, std::nullopt);
  session_.retaken_seconds_ += round.seconds();
  return std::nullopt;
}

}  // namespace breakeven
