#include "plugin/terminal/migration_console.h"

#include <poll.h>
#include <unistd.h>

namespace plugin::terminal {

namespace {

// How soon it is noticed that the answer does not matter any more.
constexpr int kTickMilliseconds = 100;

// False: to be stopped. What else may be wrong the read will tell.
bool WaitForInput(const std::atomic<bool>& stop) {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  while (!stop) {
    if (poll(&input, 1, kTickMilliseconds) > 0) return true;
  }
  return false;
}

std::optional<std::string> ReadAnswer(const std::atomic<bool>* stop) {
  constexpr std::size_t kLongestAnswer = 100;
  std::string answer;
  char c = 0;
  while (answer.size() < kLongestAnswer) {
    if (stop != nullptr && !WaitForInput(*stop)) return std::nullopt;
    if (read(STDIN_FILENO, &c, 1) != 1) return std::nullopt;
    if (c == '\n') return answer;
    answer += c;
  }
  return std::nullopt;
}

}  // namespace

void MigrationConsole::RequireAnswer() {
  if (yes_ || read_answer_) return;
  throw NobodyToAsk();
}

bool MigrationConsole::Confirm(const std::string& question) {
  RequireAnswer();
  if (yes_) return true;
  progress_.Ask(question + " [y/N] ");
  const std::optional<std::string> answer = read_answer_();
  if (!answer) progress_.WriteLine("");  // the terminal's cursor stands behind the question
  return IsYes(answer);
}

MigrationConsole::ReadAnswer AnswersFromTerminal(const std::atomic<bool>* stop) {
  if (isatty(STDIN_FILENO) == 0) return {};
  return [stop] { return ReadAnswer(stop); };
}

bool IsYes(const std::optional<std::string>& answer) {
  return answer == "y" || answer == "Y" || answer == "yes";
}

kube::base::Error NobodyToAsk() {
  return kube::base::Error(
      "nobody can be asked, as stdin is no terminal; see by --dry-run=client what would be done, "
      "then use --yes to do it without being asked");
}

}  // namespace plugin::terminal
