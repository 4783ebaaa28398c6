#include "worker/rank_job.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <istream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "worker/communicator.h"
#include "worker/rank_answers.h"

namespace breakeven {
namespace {

constexpr double longest_start = 60;  // seconds from the first rank's start to the last one's

/// A struct of plain data that ranks exchange before they are connected. Longer texts are cut.
struct Meeting {
  std::uint16_t port = 0;
  std::uint64_t token = 0;
  std::array<char, 256> addresses{};  // separated by spaces
};
struct Name {
  std::array<char, 256> host{};
};

std::uint32_t checksum_of_program() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

Meeting to_meeting(const RankAddress& address) {
  Meeting meeting{.port = address.port, .token = address.token, .addresses = {}};
  std::string all;
  for (const std::string& one : address.addresses) {
    if (all.size() + one.size() + 1 < meeting.addresses.size()) all += one + " ";
  }
  std::ranges::copy(all, meeting.addresses.begin());
  return meeting;
}

RankAddress to_address(const Meeting& meeting, const std::string& host) {
  RankAddress address{.port = meeting.port, .token = meeting.token, .addresses = {}, .host = host};
  std::string one;
  for (const char c : meeting.addresses) {
    if (c != ' ' && c != '\0') {
      one += c;
    } else if (!one.empty()) {
      address.addresses.push_back(std::exchange(one, ""));
    }
  }
  return address;
}

std::vector<std::string> hosts_of_all_ranks() {
  Communicator& ranks = communicator();
  Name own;
  gethostname(own.host.data(), own.host.size() - 1);
  std::vector<Name> names(static_cast<std::size_t>(ranks.size()));
  ranks.gather(&own, sizeof own, names.data());
  std::vector<std::string> hosts;
  hosts.reserve(names.size());
  for (const Name& name : names) hosts.emplace_back(name.host.data());
  return hosts;
}

/// Reads the answer of another rank to the request that rank 0 has answered with `own`.
Answer parse_like(const Answer& own, const std::string& line) {
  return std::visit(
      [&]<typename T>(const T&) -> Answer {
        // Beside a refusal, all that counts is whether the other rank refuses, too, and why.
        using Expected = std::conditional_t<std::is_same_v<T, answer::Refusal>, answer::Done, T>;
        auto read = parse_answer<Expected>(line);
        return std::visit([](auto& one) -> Answer { return std::move(one); }, read);
      },
      own);
}

}  // namespace

int requested_ranks(int argc, const char* const* argv) {
  int ranks = 1;
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string_view number(argv[i + 1]);
    if (std::string_view(argv[i]) == "--ranks")
      std::from_chars(number.data(), number.data() + number.size(), ranks);
  }
  return ranks;
}

RankJob::RankJob() : rank_(communicator().rank()), hosts_(hosts_of_all_ranks()) {
  const RankIntroduction self{
      .rank = rank_, .host = host(), .pid = getpid(), .program = checksum_of_program()};
  Meeting meeting;
  if (rank_ == 0) {
    leading_ = lead_ranks(STDIN_FILENO);
    meeting = to_meeting(leading_->address());
  }
  communicator().broadcast(&meeting, sizeof meeting, 0);
  if (rank_ != 0) {
    try {
      following_ = follow_rank(to_address(meeting, hosts_.front()), self);
    } catch (const std::exception& e) {
      end_all_ranks(fmt::format("{}: {}", own_rank_text(), e.what()));
    }
    return;
  }
  for (const RankIntroduction& other : leading_->accept(communicator().size() - 1, longest_start)) {
    if (other.program != self.program)
      throw std::runtime_error(
          fmt::format("{} runs another build of this program than rank 0 on {}: install the same one on both",
                      rank_text(static_cast<std::size_t>(other.rank), other.host), self.host));
  }
}

bool RankJob::next(std::istream& in, std::string& request) {
  if (following_) {
    following_->next(request);
    return true;
  }
  if (!std::getline(in, request)) return false;
  leading_->hand_on(request);
  return true;
}

bool RankJob::answer(const Answer& own, const std::function<bool(const std::string&)>& send) {
  if (following_) {
    following_->answer(to_line(own));
    return true;
  }
  std::vector<Answer> all{own};
  for (const std::string& line : leading_->answers()) all.push_back(parse_like(own, line));
  Answer together = combine(all, hosts_);
  if (std::holds_alternative<answer::Hello>(together)) cpu_warning_ = cpu_warning(all, hosts_);
  if (std::holds_alternative<answer::Ready>(together)) stragglers_ = {};
  if (auto* sample = std::get_if<answer::Sample>(&together)) {
    stragglers_.note(all);
    for (const std::string& warning : {cpu_warning_, stragglers_.warning(hosts_)}) {
      if (!warning.empty()) sample->warnings.push_back(warning);
    }
  }
  return send(to_line(together));
}

}  // namespace breakeven
