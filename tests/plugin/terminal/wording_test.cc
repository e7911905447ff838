#include "plugin/terminal/wording.h"

#include <catch2/catch.hpp>

namespace plugin::terminal {
namespace {

TEST_CASE("A word of a shell is quoted where it has to be", "[plugin][wording]") {
  CHECK(ShellWord("system:serviceaccount:shop:operator") == "system:serviceaccount:shop:operator");
  CHECK(ShellWord("") == "''");
  CHECK(ShellWord("a b") == "'a b'");
  CHECK(ShellWord("it's $HOME") == "'it'\\''s $HOME'");
}

TEST_CASE("O7: Errors stand behind \"error: \", but where kubectl has them bare",
          "[plugin][wording]") {
  const auto [what, text] = GENERATE(table<std::string, std::string>({
      {"no CustomResourceDefinition named \"a\"", "error: no CustomResourceDefinition named \"a\""},
      {"You must be logged in to the server (Unauthorized)",
       "error: You must be logged in to the server (Unauthorized)"},
      {"Error from server (Forbidden): x", "Error from server (Forbidden): x"},
      {"Error from server: x", "Error from server: x"},
      {"The connection to the server a:1 was refused - did you specify the right host or port?",
       "The connection to the server a:1 was refused - did you specify the right host or port?"},
      {"Unable to connect to the server: EOF", "Unable to connect to the server: EOF"},
      {"", "error: "},
  }));
  CHECK(ErrorText(what) == text);
}

}  // namespace
}  // namespace plugin::terminal
