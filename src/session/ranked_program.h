// A program of several ranks, which a launcher starts. The driver asks each of them, and combines their
// answers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/messages.h"
#include "session/rank_answers.h"
#include "session/worker.h"
#include "session/worker_process.h"

namespace breakeven {

/// Each rank connects to the driver, tells who it is (Introduction), and then speaks the worker protocol over
/// that connection. Between requests all of them wait in the kernel: a rank that polls would slow every other
/// program.
///
/// If the connection of a rank ends, or one that shows signs of life shows none for twenty seconds while its
/// answer is awaited, all are ended.
class RankedProgram final : public Worker {
 public:
  /// Has `options.ranks` ranks started by `options.launcher`.
  RankedProgram(const std::filesystem::path& program, const WorkerOptions& options);
  ~RankedProgram() override;
  RankedProgram(const RankedProgram&) = delete;
  RankedProgram& operator=(const RankedProgram&) = delete;
  RankedProgram(RankedProgram&&) = delete;
  RankedProgram& operator=(RankedProgram&&) = delete;

  std::variant<std::string, WorkerLost> exchange(const std::string& line,
                                                 std::chrono::duration<double> timeout,
                                                 const std::function<void()>& meanwhile = {}) override;
  WorkerLost lose(Status status, const std::string& reason) override {
    return launcher_.lose(status, reason);
  }
  bool wait_until_quiet() const override { return launcher_.wait_until_quiet(); }
  std::optional<double> cpu_seconds() const override { return launcher_.cpu_seconds(); }
  int pid() const override { return launcher_.pid(); }
  void count_processes(const std::vector<int>& pids) override { launcher_.count_processes(pids); }
  std::vector<Note> notes() const override;

 private:
  struct Peer;
  using Lines = std::vector<std::string>;

  void accept_next();
  /// Reads what the peer sends while the context runs, and lets it in if it is a rank.
  void read(const std::shared_ptr<Peer>& peer);
  void let_in(const std::shared_ptr<Peer>& peer);
  /// Waits until all ranks have connected. Returns why they have not.
  std::optional<WorkerLost> connect(std::chrono::duration<double> timeout);
  std::size_t missing() const;
  void tell_places(request::Hello& hello) const;
  /// An address of rank 0's host that all ranks reach.
  std::string address_of_leader() const;

  /// Sends a line to all ranks, and waits for the answer of each.
  std::variant<Lines, WorkerLost> ask_all(const std::string& line, std::chrono::duration<double> timeout,
                                          const std::function<void()>& meanwhile);
  /// Ends all if a rank has said what it was not asked, or has answered before it read the whole request.
  std::optional<WorkerLost> lose_if_out_of_turn();
  void send_to_all(const std::string& line);
  /// The first ranks of each kind, while all answer; null without one.
  struct Awaited {
    Peer* unanswered = nullptr;
    Peer* talking = nullptr;   // in a line that is too long
    Peer* ended = nullptr;     // without an answer, or with its last words
    Peer* refusing = nullptr;  // long ago: the others may wait for it
    Peer* silent = nullptr;    // for too long
    bool is_over() const {
      return unanswered == nullptr || talking != nullptr || ended != nullptr || refusing != nullptr ||
             silent != nullptr;
    }
  };
  Awaited wait_for_answers(std::size_t longest, std::chrono::duration<double> timeout,
                           const std::function<void()>& meanwhile);
  std::variant<Lines, WorkerLost> take_answers();
  WorkerLost lose_for_protocol(const Peer& rank, const std::string& fault);
  /// Ends all because this rank does, with its last words.
  WorkerLost lose_with(const Peer& ended, const answer::Refusal& last);
  /// Ends all because this rank has ended, perhaps without such words.
  WorkerLost lose_as_it_ended(const Peer& ended);
  void note(const Request& request, const std::vector<Answer>& answers);

  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::string token_;
  std::chrono::seconds time_to_quit_;
  WorkerProcess launcher_;
  std::string fault_;                         // why some rank cannot be one
  std::vector<std::shared_ptr<Peer>> ranks_;  // null until it has connected
  std::vector<std::string> hosts_;            // of the ranks, once all have connected
  std::optional<Note> other_cpus_;
  Stragglers stragglers_;  // of the prepared case
};

}  // namespace breakeven
