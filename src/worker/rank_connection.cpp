#include "worker/rank_connection.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "protocol/messages.h"
#include "worker/communicator.h"

namespace breakeven {
namespace {

constexpr std::chrono::seconds beat{1};
constexpr int beats_without_driver = 10;

/// A checksum of this program's file, by which the driver sees that all ranks run the same build.
std::uint32_t checksum_of_program() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

/// A connection to this address and port; -1 and errno if there is none.
int connect_to(const std::string& address, std::uint16_t port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  if (inet_pton(AF_INET, address.c_str(), &to.sin_addr) != 1) {
    errno = EINVAL;
    return -1;
  }
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  // Gives up after about three seconds; otherwise connecting takes minutes to fail. And a rank whose host
  // cannot be reached any more would end after a quarter of an hour.
  const int repetitions = 1, at_once = 1;
  const unsigned limit = 20'000;  // milliseconds
  setsockopt(made, IPPROTO_TCP, TCP_SYNCNT, &repetitions, sizeof repetitions);
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  setsockopt(made, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof limit);
  if (connect(made, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return made;
  const int why = errno;
  close(made);
  errno = why;
  return -1;
}

struct Driver {
  std::uint16_t port = 0;
  std::string token = {};
  std::string addresses = {};  // separated by commas
};

Driver parse_driver(const std::string& text) {
  Driver driver;
  std::istringstream parts(text);
  std::string port;
  std::getline(parts, port, ':');
  std::getline(parts, driver.token, ':');
  std::getline(parts, driver.addresses);
  std::from_chars(port.data(), port.data() + port.size(), driver.port);
  if (driver.port == 0 || driver.addresses.empty())
    throw std::runtime_error(fmt::format("--driver {}: must be PORT:TOKEN:ADDRESS,ADDRESS", text));
  return driver;
}

int connect_to(const Driver& driver) {
  std::istringstream addresses(driver.addresses);
  std::string why;
  for (std::string address; std::getline(addresses, address, ',');) {
    if (const int made = connect_to(address, driver.port); made >= 0) return made;
    why = fmt::format("{} port {}: {}", address, driver.port, std::strerror(errno));
  }
  throw std::runtime_error(fmt::format("this rank cannot connect to the driver: {}", why));
}

bool has_hung_up(int socket) {
  pollfd looked_at{.fd = socket, .events = POLLRDHUP, .revents = 0};
  return poll(&looked_at, 1, 0) > 0;
}

}  // namespace

RankArguments rank_arguments(int argc, const char* const* argv) {
  RankArguments found;
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string_view name(argv[i]), value(argv[i + 1]);
    if (name == "--ranks") std::from_chars(value.data(), value.data() + value.size(), found.ranks);
    if (name == "--driver") found.driver = value;
  }
  return found;
}

RankConnection::RankConnection(const std::string& driver, const std::string& fault) {
  const Driver parsed = parse_driver(driver);
  socket_ = connect_to(parsed);
  const bool is_rank = fault.empty();
  send(to_line(Introduction{.token = parsed.token,
                            .fault = fault,
                            .rank = is_rank ? communicator().rank() : 0,
                            .host = own_host_name(),
                            .pid = getpid(),
                            .program = is_rank ? checksum_of_program() : 0,
                            .beats = true}));
  tell_before_the_end([this](const std::string& reason, bool in_every_case) {
    send(to_line(Answer{answer::Refusal{.reason = reason, .is_last = true, .in_every_case = in_every_case}}));
  });
  beating_ = std::thread([this] { show_signs_of_life(); });
}

RankConnection::~RankConnection() {
  tell_before_the_end({});
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  beating_.join();
  close(socket_);
}

bool RankConnection::send(const std::string& line) {
  const std::lock_guard lock(writing_);
  const std::string text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const auto count = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

/// Counts beats, so that time in which this process was stopped does not count.
void RankConnection::show_signs_of_life() {
  int missed = 0;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, beat, [this] { return stopping_; })) {
    const bool is_there = send("") && !has_hung_up(socket_);
    missed = is_there ? 0 : missed + 1;
    if (missed > beats_without_driver) end_all_ranks("the driver has ended");
  }
}

}  // namespace breakeven
