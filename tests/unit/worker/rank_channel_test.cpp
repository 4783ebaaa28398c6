// The connections between ranks, with strangers who connect too.
#include "worker/rank_channel.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace breakeven {
namespace {

using testing::HasSubstr;

/// A connection to rank 0 of somebody who sends this text and waits.
class Stranger {
 public:
  Stranger(std::uint16_t port, std::string_view text) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        send(socket_, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
      throw std::runtime_error("cannot connect to rank 0");
  }
  ~Stranger() { close(socket_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;
  Stranger(Stranger&&) = delete;
  Stranger& operator=(Stranger&&) = delete;

 private:
  int socket_;
};

std::string introduction_of(int rank, std::uint64_t token) {
  return fmt::format(R"({{"token":{},"rank":{},"host":"h","pid":1,"program":1}})", token, rank) + "\n";
}

/// Expects that rank 1, the last to connect, is let in, and answers.
void expect_start(LeadingChannel& leading, FollowingChannel& following) {
  const auto others = leading.accept(1, 60);
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0].host, "here");
  EXPECT_EQ(others[0].pid, 4711);
  leading.hand_on("request");
  std::string request;
  following.next(request);
  EXPECT_EQ(request, "request");
  following.answer("answer");
  EXPECT_THAT(leading.answers(), testing::ElementsAre("answer"));
}

const RankIntroduction rank_1{.rank = 1, .host = "here", .pid = 4711, .program = 1};

/// The message of the std::runtime_error that `made` throws.
std::string refusal_in(const std::function<void()>& made) {
  try {
    made();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

// Rank 0 ends first: it ends the process if the connection of a rank ends before.

TEST(RankChannel, StrangersAreSentAway) {
  std::unique_ptr<FollowingChannel> following;
  const auto leading = lead_ranks(-1);
  const RankAddress address = leading->address();
  const Stranger browser(address.port, "GET / HTTP/1.1\r\n\r\n");
  const Stranger other_job(address.port, introduction_of(1, address.token + 1));
  const Stranger rank_0(address.port, introduction_of(0, address.token));
  const Stranger rank_2(address.port, introduction_of(2, address.token));
  const Stranger no_object(address.port, "1\n");
  { const Stranger gone_in_the_middle(address.port, "{\"token\""); }
  following = follow_rank(address, rank_1);
  expect_start(*leading, *following);
}

/// Each of them costs five seconds.
TEST(SlowRankChannel, StrangersWhoFinishNoLineAreNotWaitedForLong) {
  std::unique_ptr<FollowingChannel> following;
  const auto leading = lead_ranks(-1);
  const RankAddress address = leading->address();
  const Stranger silent(address.port, "");
  const Stranger half_a_line(address.port, "{\"token\"");
  following = follow_rank(address, rank_1);
  expect_start(*leading, *following);
}

TEST(RankChannel, RanksThatDoNotConnectAreCounted) {
  std::unique_ptr<FollowingChannel> following;
  const auto leading = lead_ranks(-1);
  following = follow_rank(leading->address(), rank_1);
  EXPECT_EQ(refusal_in([&] { leading->accept(3, 0.2); }),
            "2 of 3 other ranks did not connect to rank 0 within 0.2 s");
}

TEST(RankChannel, ARankZeroThatCannotBeReachedIsNamed) {
  RankAddress gone = lead_ranks(-1)->address();
  gone.addresses = {"127.0.0.1"};
  EXPECT_EQ(refusal_in([&] { follow_rank(gone, rank_1); }),
            fmt::format("cannot connect to rank 0: 127.0.0.1 port {}: Connection refused", gone.port));
  EXPECT_THAT(refusal_in([] { follow_rank({}, rank_1); }), HasSubstr("it has no address"));
}

}  // namespace
}  // namespace breakeven
