#include "plugin/terminal/migration_console.h"

#include <unistd.h>

#include "kube/base/error.h"

namespace plugin::terminal {

namespace {

std::optional<std::string> ReadAnswer() {
  constexpr std::size_t kLongestAnswer = 100;
  std::string answer;
  char c = 0;
  while (answer.size() < kLongestAnswer && read(STDIN_FILENO, &c, 1) == 1) {
    if (c == '\n') return answer;
    answer += c;
  }
  return std::nullopt;
}

}  // namespace

void MigrationConsole::RequireAnswer() {
  if (yes_ || read_answer_) return;
  throw kube::base::Error(
      "nobody can be asked, as stdin is no terminal; see by --dry-run=client what would be done, "
      "then use --yes to do it without being asked");
}

bool MigrationConsole::Confirm(const std::string& question) {
  RequireAnswer();
  if (yes_) return true;
  progress_.Ask(question + " [y/N] ");
  const std::optional<std::string> answer = read_answer_();
  if (!answer) progress_.WriteLine("");  // the terminal's cursor stands behind the question
  return answer == "y" || answer == "Y" || answer == "yes";
}

MigrationConsole::ReadAnswer AnswersFromTerminal() {
  return isatty(STDIN_FILENO) != 0 ? ReadAnswer : MigrationConsole::ReadAnswer();
}

}  // namespace plugin::terminal
