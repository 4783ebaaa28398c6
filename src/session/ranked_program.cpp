#include "session/ranked_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>
#include <array>
#include <boost/asio.hpp>
#include <cstdint>
#include <random>

#include "session/received_lines.h"
#include "session/waiting.h"

namespace breakeven {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// A library's call that does not release Python's lock keeps a rank from showing that it is alive.
constexpr std::chrono::seconds longest_silence{20};
/// How long the others may take after a refusal: they may wait for the rank that refuses.
constexpr std::chrono::seconds longest_after_refusal{10};
constexpr std::size_t longest_introduction = 4096;

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

std::string new_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}", random(), random(), random());
}

WorkerOptions with_arguments(WorkerOptions options, std::uint16_t port, const std::string& token) {
  options.arguments = {"--ranks", fmt::format("{}", options.ranks), "--driver",
                       fmt::format("{}:{}:{}", port, token, fmt::join(own_addresses(), ","))};
  return options;
}

template <typename T>
Answer parse_as(const std::string& line) {
  return std::visit([](auto one) -> Answer { return one; }, parse_answer<T>(line));
}

/// Reads an answer to a request.
struct AnswerIn {
  const std::string& line;
  Answer operator()(const request::Hello&) const { return parse_as<answer::Hello>(line); }
  Answer operator()(const request::Prepare&) const { return parse_as<answer::Ready>(line); }
  Answer operator()(const request::Expect&) const { return parse_as<Evidence>(line); }
  Answer operator()(const request::Verify&) const { return parse_as<Evidence>(line); }
  Answer operator()(const request::Sample&) const { return parse_as<answer::Sample>(line); }
  Answer operator()(const request::Epoch&) const { return parse_as<answer::Epoch>(line); }
  Answer operator()(const request::Fit&) const { return parse_as<Fit>(line); }
  Answer operator()(const request::Release&) const { return parse_as<answer::Done>(line); }
  Answer operator()(const request::Quit&) const { return parse_as<answer::Done>(line); }
};

bool is_refusal(const Answer& answer) {
  return std::holds_alternative<answer::Refusal>(answer);
}

}  // namespace

/// A connection: of a rank, or of a stranger until it has introduced itself.
struct RankedProgram::Peer {
  explicit Peer(tcp::socket connected) : socket(std::move(connected)) {
    fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);  // a request is one small line
    remote = socket.remote_endpoint(ignored).address();
    local = socket.local_endpoint(ignored).address();
  }

  /// Signs of life, which are empty lines, may come before and after an answer.
  bool has_answered() {
    while (received.has_line() && received.line_size() == 0) received.take_line();
    return received.has_line();
  }
  std::string first_line() { return received.rest().substr(0, received.line_size()); }
  /// The refusal that it has answered, if it has; the line stays.
  std::optional<answer::Refusal> refusal() {
    if (!has_answered()) return std::nullopt;
    const std::string line = first_line();
    if (line.find("false") == std::string::npos) return std::nullopt;
    const Answer answer = parse_as<answer::Done>(line);
    const auto* refused = std::get_if<answer::Refusal>(&answer);
    return refused == nullptr ? std::nullopt : std::optional(*refused);
  }
  /// The refusal with which it ends, if it does.
  std::optional<answer::Refusal> last_words() {
    auto words = refusal();
    return words && words->is_last ? words : std::nullopt;
  }
  bool is_silent_beyond(RunningTime::Clock::duration waited) {
    if (std::exchange(is_heard, false)) heard_at = waited;
    return self.beats && !has_answered() && waited - heard_at > longest_silence;
  }

  static constexpr std::size_t chunk_size = std::size_t{1} << 16U;
  tcp::socket socket;
  asio::ip::address remote, local;
  std::array<char, chunk_size> chunk{};
  ReceivedLines received;
  std::string sending;  // must outlive the asynchronous write
  bool is_sending = false;
  bool is_closed = false;
  bool is_heard = false;  // since the last look
  RunningTime::Clock::duration heard_at{0};
  Introduction self;
  std::string name;  // for readers
};

RankedProgram::RankedProgram(const std::filesystem::path& program, const WorkerOptions& options)
    : acceptor_(context_, tcp::endpoint(tcp::v4(), 0)),
      token_(new_token()),
      time_to_quit_(options.time_to_quit),
      launcher_(program, with_arguments(options, acceptor_.local_endpoint().port(), token_)),
      ranks_(static_cast<std::size_t>(options.ranks)) {
  fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
  accept_next();
}

RankedProgram::~RankedProgram() {
  if (missing() > 0 || launcher_.lost()) return;
  exchange(to_line(Request{request::Quit{}}), time_to_quit_);
  if (!launcher_.lost()) launcher_.wait_for_end(time_to_quit_);
}

void RankedProgram::accept_next() {
  acceptor_.async_accept([this](boost::system::error_code error, tcp::socket connected) {
    if (error) return;
    read(std::make_shared<Peer>(std::move(connected)));
    accept_next();
  });
}

void RankedProgram::read(const std::shared_ptr<Peer>& peer) {
  peer->socket.async_read_some(
      asio::buffer(peer->chunk), [this, peer](boost::system::error_code error, std::size_t count) {
        peer->received.append({peer->chunk.data(), count});
        peer->is_closed = static_cast<bool>(error);
        peer->is_heard = true;
        if (peer->name.empty() && peer->received.has_line()) let_in(peer);
        // A stranger is sent away: nobody keeps its connection.
        const bool is_stranger = peer->name.empty() && (peer->received.has_line() ||
                                                        peer->received.line_size() > longest_introduction);
        if (error || is_stranger) return;
        read(peer);
      });
}

void RankedProgram::let_in(const std::shared_ptr<Peer>& peer) {
  try {
    Introduction self = parse_introduction(peer->first_line());
    if (self.token != token_) return;
    if (!self.fault.empty()) {
      fault_ = self.fault;
      return;
    }
    if (self.rank < 0 || self.rank >= std::ssize(ranks_)) return;
    std::shared_ptr<Peer>& rank = ranks_[static_cast<std::size_t>(self.rank)];
    if (rank) return;
    peer->received.take_line();
    peer->name = rank_text(static_cast<std::size_t>(self.rank), self.host);
    peer->self = std::move(self);
    rank = peer;
  } catch (const ProtocolError&) {  // a stranger
  }
}

std::size_t RankedProgram::missing() const {
  return static_cast<std::size_t>(std::ranges::count(ranks_, nullptr));
}

std::optional<WorkerLost> RankedProgram::connect(std::chrono::duration<double> timeout) {
  wait(context_, {.is_over =
                      [&] {
                        launcher_.take_in_output();
                        return missing() == 0 || !fault_.empty() || launcher_.has_ended();
                      },
                  .timeout = timeout});
  run_ready(context_);  // a launcher may have ended before its ranks' words were read
  acceptor_.close();
  if (const auto& lost = launcher_.lost()) return lost;
  if (Interruption::requested()) return lose(Status::interrupted, "interrupted");
  if (!fault_.empty()) return lose(Status::failed, fault_);
  if (missing() == ranks_.size() && launcher_.exit_status() == 0)
    return lose(Status::unsupported, "ended without a word to the driver: it knows no ranks");
  if (missing() > 0 && launcher_.has_ended()) return lose(Status::failed, launcher_.how_it_ended());
  if (missing() > 0) {
    return lose(
        Status::timed_out,
        fmt::format("{} of {} ranks have not connected to the driver within {:g} s; its addresses are {}",
                    missing(), ranks_.size(), timeout.count(), fmt::join(own_addresses(), ", ")));
  }
  for (const auto& rank : ranks_) {
    hosts_.push_back(rank->self.host);
    if (rank->self.program != ranks_.front()->self.program) {
      return lose(Status::failed, fmt::format("{} runs another build of this program than rank 0 on {}: "
                                              "install the same one on both",
                                              rank->name, hosts_.front()));
    }
  }
  return std::nullopt;
}

void RankedProgram::tell_places(request::Hello& hello) const {
  hello.hosts = hosts_;
  hello.leader = address_of_leader();
  hello.leader_port = ranks_.front()->self.port;
}

std::string RankedProgram::address_of_leader() const {
  const auto is_here = [](const std::shared_ptr<Peer>& rank) { return rank->remote == rank->local; };
  const auto elsewhere = std::ranges::find_if_not(ranks_, is_here);
  // A rank on another host has reached this one, and rank 0 with it, by this address.
  if (is_here(ranks_.front()) && elsewhere != ranks_.end()) return (*elsewhere)->local.to_string();
  return ranks_.front()->remote.to_string();
}

std::variant<std::string, WorkerLost> RankedProgram::exchange(const std::string& line,
                                                              std::chrono::duration<double> timeout,
                                                              const std::function<void()>& meanwhile) {
  if (const auto& lost = launcher_.lost()) return *lost;
  if (hosts_.empty()) {
    if (auto lost = connect(timeout)) return *std::move(lost);
  }
  try {
    Request request = parse_request(line);
    auto* hello = std::get_if<request::Hello>(&request);
    if (hello != nullptr) tell_places(*hello);
    auto asked = ask_all(hello != nullptr ? to_line(request) : line, timeout, meanwhile);
    if (auto* lost = std::get_if<WorkerLost>(&asked)) return std::move(*lost);
    std::vector<Answer> answers;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      answers.push_back(std::visit(AnswerIn{std::get<Lines>(asked)[r]}, request));
      auto* said = std::get_if<answer::Hello>(&answers.back());
      if (said != nullptr && said->ranks.size() != 1)
        said->ranks = {{.host = hosts_[r], .pid = ranks_[r]->self.pid}};
    }
    const Answer together = combine(answers, hosts_);
    // The others have prepared it, in memory that another program may need.
    if (is_refusal(together) && !std::ranges::all_of(answers, is_refusal)) {
      auto released = ask_all(to_line(Request{request::Release{}}), timeout, meanwhile);
      if (auto* lost = std::get_if<WorkerLost>(&released)) return std::move(*lost);
    }
    note(request, answers);
    return to_line(together);
  } catch (const ProtocolError& e) {
    return lose(Status::failed, std::string("broke the protocol: ") + e.what());
  }
}

std::variant<RankedProgram::Lines, WorkerLost> RankedProgram::ask_all(
    const std::string& line, std::chrono::duration<double> timeout, const std::function<void()>& meanwhile) {
  run_ready(context_);
  if (auto lost = lose_if_out_of_turn()) return *std::move(lost);
  send_to_all(line);
  const std::size_t longest = longest_answer(line);
  const Awaited rank = wait_for_answers(longest, timeout, meanwhile);
  if (rank.talking != nullptr)
    return lose_for_protocol(*rank.talking, fmt::format("sent a line of more than {:.3g} MiB",
                                                        static_cast<double>(longest) / 0x1p20));
  if (rank.unanswered == nullptr) return take_answers();
  if (rank.ended != nullptr) return lose_as_it_ended(*rank.ended);
  if (rank.refusing != nullptr)
    return lose(Status::failed, fmt::format("{}: {}", rank.refusing->name, rank.refusing->refusal()->reason));
  if (rank.silent != nullptr)
    return lose(
        Status::failed,
        fmt::format("{} has shown no sign of life for {} s: it is stopped, or its host cannot be reached",
                    rank.silent->name, longest_silence.count()));
  if (Interruption::requested()) return lose(Status::interrupted, "interrupted");
  return launcher_.lose_as_late(timeout, rank.unanswered->name);
}

std::optional<WorkerLost> RankedProgram::lose_if_out_of_turn() {
  for (const auto& rank : ranks_) {
    if (const auto last = rank->last_words()) return lose_with(*rank, *last);
    if (rank->has_answered()) return lose_for_protocol(*rank, "sent a line without a request");
    if (rank->is_sending) return lose_for_protocol(*rank, "answered a request before reading all of it");
  }
  return std::nullopt;
}

void RankedProgram::send_to_all(const std::string& line) {
  for (const auto& rank : ranks_) {
    rank->heard_at = {};
    rank->sending = line + "\n";
    rank->is_sending = true;
    // Errors show where it is read.
    asio::async_write(rank->socket, asio::buffer(rank->sending),
                      [rank](boost::system::error_code, std::size_t) { rank->is_sending = false; });
  }
}

RankedProgram::Awaited RankedProgram::wait_for_answers(std::size_t longest,
                                                       std::chrono::duration<double> timeout,
                                                       const std::function<void()>& meanwhile) {
  const auto first_that = [&](const auto& holds) {
    const auto found = std::ranges::find_if(ranks_, [&](const auto& rank) { return holds(*rank); });
    return found == ranks_.end() ? nullptr : found->get();
  };
  Awaited found;
  const auto look_at_answers = [&] {
    found.talking = first_that([&](Peer& rank) { return rank.received.line_size() > longest; });
    found.unanswered = first_that([](Peer& rank) { return !rank.has_answered(); });
    found.ended =
        first_that([](Peer& rank) { return rank.is_closed && (!rank.has_answered() || rank.last_words()); });
  };
  std::optional<RunningTime::Clock::duration> refused_at;
  const auto look_at_time = [&](RunningTime::Clock::duration waited) {
    found.silent = first_that([&](Peer& rank) { return rank.is_silent_beyond(waited); });
    Peer* const refusing = first_that([](Peer& rank) { return rank.refusal().has_value(); });
    if (refusing != nullptr && !refused_at) refused_at = waited;
    if (refusing != nullptr && waited - *refused_at > longest_after_refusal) found.refusing = refusing;
  };
  wait(context_, {.is_over =
                      [&] {
                        launcher_.take_in_output();
                        look_at_answers();
                        return found.is_over();
                      },
                  .timeout = timeout,
                  .meanwhile = meanwhile,
                  .most_pieces = 2 + 2 * ranks_.size() * longest / Peer::chunk_size,
                  .so_far = look_at_time});
  look_at_answers();  // some may have arrived after the last look
  return found;
}

std::variant<RankedProgram::Lines, WorkerLost> RankedProgram::take_answers() {
  Lines lines;
  lines.reserve(ranks_.size());
  for (const auto& rank : ranks_) {
    if (const auto last = rank->last_words()) return lose_with(*rank, *last);
    lines.push_back(*rank->received.take_line());
  }
  return lines;
}

WorkerLost RankedProgram::lose_for_protocol(const Peer& rank, const std::string& fault) {
  return lose(Status::failed, fmt::format("{}: broke the protocol: {}", rank.name, fault));
}

WorkerLost RankedProgram::lose_with(const Peer& ended, const answer::Refusal& last) {
  WorkerLost lost = lose(Status::failed, fmt::format("{}: {}", ended.name, last.reason));
  lost.in_every_case = last.in_every_case;
  return lost;
}

WorkerLost RankedProgram::lose_as_it_ended(const Peer& ended) {
  // It may follow from the end of another rank, whose last words are on their way. Those that come later
  // follow from this end: ranks wait a second before they give up because of an error in what they do
  // together.
  constexpr std::chrono::milliseconds on_their_way{200};
  context_.restart();
  context_.run_for(on_their_way);
  for (const auto& rank : ranks_) {
    if (const auto last = rank->last_words()) return lose_with(*rank, *last);
  }
  const std::string why = launcher_.reason_given();
  return lose(Status::failed, fmt::format("{} has ended{}{}", ended.name, why.empty() ? "" : ": ", why));
}

void RankedProgram::note(const Request& request, const std::vector<Answer>& answers) {
  if (std::holds_alternative<request::Hello>(request)) other_cpus_ = note_of_cpus(answers, hosts_);
  if (std::holds_alternative<request::Prepare>(request)) stragglers_ = {};
  if (std::holds_alternative<request::Sample>(request)) stragglers_.note(answers);
}

std::vector<Note> RankedProgram::notes() const {
  std::vector<Note> all;
  for (const auto& one : {other_cpus_, stragglers_.found(hosts_)}) {
    if (one) all.push_back(*one);
  }
  return all;
}

}  // namespace breakeven
