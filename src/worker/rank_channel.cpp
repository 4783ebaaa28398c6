#include "worker/rank_channel.h"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "host/steady_clock.h"
#include "worker/communicator.h"

namespace breakeven {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Json = nlohmann::json;

/// How often a working rank shows a sign of life, a line that is empty; and how many may be missing, or pass
/// after the end of the driver.
constexpr std::chrono::milliseconds beat{1000};
constexpr int missing_beats = 10;

/// A connection that carries lines.
class Lines {
 public:
  explicit Lines(tcp::socket socket) : socket_(std::move(socket)) {
    socket_.set_option(tcp::no_delay(true));  // a request is one small line
    // Otherwise a rank whose host cannot be reached any more would end after a quarter of an hour.
    const unsigned limit = 20'000;  // milliseconds
    setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof limit);
  }

  void write(const std::string& line) {
    const std::lock_guard lock(writing_);
    asio::write(socket_, asio::buffer(line + "\n"));
  }
  /// Waits for a whole line. Throws if the connection has ended.
  std::string read() {
    asio::read_until(socket_, asio::dynamic_buffer(received_), '\n');
    return take();
  }
  /// The same, for at most `seconds`. Throws if there is none by then. `context` must run nothing else.
  std::string read_within(asio::io_context& context, std::chrono::seconds seconds) {
    boost::system::error_code result = asio::error::would_block;
    asio::async_read_until(socket_, asio::dynamic_buffer(received_), '\n',
                           [&](boost::system::error_code error, std::size_t) { result = error; });
    context.restart();
    context.run_for(seconds);
    if (result == asio::error::would_block) {
      socket_.cancel();
      context.run();  // until the read has ended
    }
    if (result) throw boost::system::system_error(result);
    return take();
  }
  bool has_line() const { return received_.find('\n') != std::string::npos; }
  /// Reads what is there without waiting for a whole line.
  void read_some() {
    std::array<char, 1U << 16U> part{};
    received_.append(part.data(), socket_.read_some(asio::buffer(part)));
  }
  std::string take() {
    const std::size_t end = received_.find('\n');
    std::string line = received_.substr(0, end);
    received_.erase(0, end + 1);
    return line;
  }
  int descriptor() { return socket_.native_handle(); }
  /// Ends the connection: whoever waits for a line gets none.
  void close() {
    boost::system::error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
  }

 private:
  tcp::socket socket_;
  std::string received_;
  std::mutex writing_;
};

/// The addresses of this host, loopback last, because every host has that one.
std::vector<std::string> own_addresses() {
  std::vector<std::string> all;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {"127.0.0.1"};
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_UP) == 0 ||
        (one->ifa_flags & IFF_LOOPBACK) != 0)
      continue;
    const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    all.push_back(asio::ip::address_v4(ntohl(address->sin_addr.s_addr)).to_string());
  }
  freeifaddrs(first);
  all.emplace_back("127.0.0.1");
  return all;
}

class Leading final : public LeadingChannel {
 public:
  explicit Leading(int input) : acceptor_(context_, tcp::endpoint(tcp::v4(), 0)), input_(input) {
    std::random_device random;
    token_ = (std::uint64_t{random()} << 32U) + random();
  }
  ~Leading() override {
    stopping_ = true;
    for (Rank& rank : ranks_) {
      if (rank.lines) rank.lines->close();
    }
    if (reader_.joinable()) reader_.join();
  }
  Leading(const Leading&) = delete;
  Leading& operator=(const Leading&) = delete;
  Leading(Leading&&) = delete;
  Leading& operator=(Leading&&) = delete;

  RankAddress address() const override {
    return {.port = acceptor_.local_endpoint().port(),
            .token = token_,
            .addresses = own_addresses(),
            .host = asio::ip::host_name()};
  }

  std::vector<RankIntroduction> accept(int others, double seconds) override {
    std::vector<RankIntroduction> known(static_cast<std::size_t>(others));
    ranks_.resize(known.size());
    const auto start = Clock::now();
    for (int missing = others; missing > 0;) {
      pollfd waiting{.fd = acceptor_.native_handle(), .events = POLLIN, .revents = 0};
      const double left = seconds - seconds_since(start);
      if (left <= 0 || poll(&waiting, 1, static_cast<int>(left * 1000)) <= 0)
        throw std::runtime_error(fmt::format("{} of {} other ranks did not connect to rank 0 within {:g} s",
                                             missing, others, seconds));
      if (auto told = introduced(std::make_unique<Lines>(acceptor_.accept()), others)) {
        known[static_cast<std::size_t>(told->rank - 1)] = *told;
        --missing;
      }
    }
    reader_ = std::thread([this] { read_all(); });
    return known;
  }

  void hand_on(const std::string& request) override {
    {
      const std::lock_guard lock(mutex_);
      for (Rank& rank : ranks_) rank.silent = 0;
      beats_alone_ = 0;
      is_waiting_ = true;
    }
    for (Rank& rank : ranks_) {
      try {
        rank.lines->write(request);
      } catch (const std::exception&) {
        end_all_ranks(rank.name + " has ended");
      }
    }
  }

  std::vector<std::string> answers() override {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [this] {
      return std::ranges::all_of(ranks_, [](const Rank& rank) { return !rank.answers.empty(); });
    });
    is_waiting_ = false;
    std::vector<std::string> all;
    all.reserve(ranks_.size());
    for (Rank& rank : ranks_) {
      all.push_back(std::move(rank.answers.front()));
      rank.answers.pop_front();
    }
    return all;
  }

 private:
  struct Rank {
    std::unique_ptr<Lines> lines;
    std::string name;
    std::deque<std::string> answers;
    int silent = 0;  // beats without a line, while its answer is awaited
  };

  /// Reads the introduction of a new connection, for at most five seconds; empty for a stranger.
  std::optional<RankIntroduction> introduced(std::unique_ptr<Lines> lines, int others) {
    constexpr std::chrono::seconds patience{5};
    try {
      const Json told = Json::parse(lines->read_within(context_, patience));
      const RankIntroduction self{.rank = told.at("rank"),
                                  .host = told.at("host"),
                                  .pid = told.at("pid"),
                                  .program = told.at("program")};
      if (told.at("token") != token_ || self.rank < 1 || self.rank > others) return std::nullopt;
      Rank& rank = ranks_[static_cast<std::size_t>(self.rank - 1)];
      if (rank.lines) return std::nullopt;
      rank.lines = std::move(lines);
      rank.name = rank_text(static_cast<std::size_t>(self.rank), self.host);
      return self;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  /// Receives what the ranks send, because rank 0 itself may wait for one of them in the middle of its work.
  void read_all() {
    std::vector<pollfd> waiting;
    waiting.reserve(ranks_.size() + 1);
    for (Rank& rank : ranks_)
      waiting.push_back({.fd = rank.lines->descriptor(), .events = POLLIN, .revents = 0});
    waiting.push_back({.fd = input_, .events = 0, .revents = 0});  // the end is always reported
    bool is_alone = false;
    auto last_beat = Clock::now();
    while (!stopping_) {
      poll(waiting.data(), waiting.size(), static_cast<int>(beat.count()));
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        if (waiting[r].revents != 0) receive(ranks_[r]);
      }
      if (pollfd& input = waiting.back(); input.revents != 0) {
        is_alone = (input.revents & POLLHUP) != 0;
        input.fd = -1;  // it would be reported again at once
      }
      if (Clock::now() - last_beat < beat) continue;
      last_beat = Clock::now();
      count_silence(is_alone);
    }
  }

  void receive(Rank& rank) {
    try {
      rank.lines->read_some();
    } catch (const std::exception&) {
      if (!stopping_) end_all_ranks(rank.name + " has ended");
      return;
    }
    const std::lock_guard lock(mutex_);
    rank.silent = 0;
    while (rank.lines->has_line()) {
      if (std::string line = rank.lines->take(); !line.empty()) rank.answers.push_back(std::move(line));
    }
    answered_.notify_one();
  }

  /// Counts in its own beats, so that time in which this process was stopped, too, does not count.
  void count_silence(bool is_alone) {
    const std::lock_guard lock(mutex_);
    if (!is_waiting_) return;
    if (is_alone && ++beats_alone_ > missing_beats)
      end_all_ranks(own_rank_text() + ": nobody waits for its answer any more");
    for (Rank& rank : ranks_) {
      if (rank.answers.empty() && ++rank.silent > missing_beats) {
        end_all_ranks(
            fmt::format("{} has shown no sign of life for {} s: it is stopped, or its host cannot be "
                        "reached",
                        rank.name, missing_beats));
      }
    }
  }

  asio::io_context context_;
  tcp::acceptor acceptor_;
  int input_;
  std::uint64_t token_ = 0;
  std::vector<Rank> ranks_;  // from rank 1
  std::mutex mutex_;         // of what the reader and rank 0 both use
  std::condition_variable answered_;
  bool is_waiting_ = false;
  int beats_alone_ = 0;  // without the driver, in this request
  std::atomic<bool> stopping_ = false;
  std::thread reader_;
};

class Following final : public FollowingChannel {
 public:
  Following(const RankAddress& leader, const RankIntroduction& self)
      : leader_(rank_text(0, leader.host)), lines_(connect(leader)) {
    lines_.write(Json{{"token", leader.token},
                      {"rank", self.rank},
                      {"host", self.host},
                      {"pid", self.pid},
                      {"program", self.program}}
                     .dump());
    beating_ = std::thread([this] { beat_while_working(); });
  }
  ~Following() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    beating_.join();
  }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;
  Following(Following&&) = delete;
  Following& operator=(Following&&) = delete;

  void next(std::string& request) override {
    try {
      request = lines_.read();
    } catch (const std::exception&) {
      end_without_leader();
    }
    set_working(true);
  }

  void answer(const std::string& line) override {
    set_working(false);
    try {
      lines_.write(line);
    } catch (const std::exception&) {
      end_without_leader();
    }
  }

 private:
  /// Rank 0 may have refused the job, and says why a moment after its connections end: its words come first.
  void end_without_leader() {
    constexpr std::chrono::milliseconds last_words{300};
    std::this_thread::sleep_for(last_words);
    end_all_ranks(leader_ + " has ended");
  }

  tcp::socket connect(const RankAddress& leader) {
    std::string why = "it has no address";
    for (const std::string& address : leader.addresses) {
      tcp::socket socket(context_, tcp::v4());
      // Gives up after about seven seconds; otherwise connecting takes minutes to fail.
      const int repetitions = 2;
      setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_SYNCNT, &repetitions, sizeof repetitions);
      boost::system::error_code error;
      socket.connect(tcp::endpoint(asio::ip::make_address(address), leader.port), error);
      if (!error) return socket;
      why = fmt::format("{} port {}: {}", address, leader.port, error.message());
    }
    throw std::runtime_error("cannot connect to rank 0: " + why);
  }

  void set_working(bool working) {
    {
      const std::lock_guard lock(mutex_);
      is_working_ = working;
    }
    changed_.notify_one();
  }

  void beat_while_working() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      if (!is_working_) {
        changed_.wait(lock);
      } else if (changed_.wait_for(lock, beat) == std::cv_status::timeout && is_working_) {
        try {
          lines_.write("");
        } catch (const std::exception&) {
          end_without_leader();
        }
      }
    }
  }

  std::string leader_;
  asio::io_context context_;
  Lines lines_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_working_ = false;
  bool stopping_ = false;
  std::thread beating_;
};

}  // namespace

std::unique_ptr<LeadingChannel> lead_ranks(int input) {
  return std::make_unique<Leading>(input);
}

std::unique_ptr<FollowingChannel> follow_rank(const RankAddress& leader, const RankIntroduction& self) {
  return std::make_unique<Following>(leader, self);
}

}  // namespace breakeven
