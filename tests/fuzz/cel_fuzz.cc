#include "kube/base/utf8.h"
#include "kube/cel/estimate.h"
#include "kube/cel/parser.h"
#include "kube/cel/program.h"
#include "kube/cel/schema_type.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/cel_text.h"

namespace {

/// What parses prints as what parses to the same tree, unless a macro was expanded.
void CheckPrinter(std::string_view text, kube::base::Release release) {
  const kube::cel::Source source(text);
  const auto parsed = kube::cel::Parse(source, release);
  if (!parsed.issues.empty()) return;
  const std::string printed = test_support::cel_text::Print(*parsed.ast->root);
  if (printed.find("__fold__") != std::string::npos) return;
  const kube::cel::Source printed_source(printed);
  const auto again = kube::cel::Parse(printed_source, release);
  // With more parentheses it may be too deep.
  if (!again.issues.empty()) return;
  fuzz::Require(test_support::cel_text::SameTree(*parsed.ast->root, *again.ast->root));
}

}  // namespace

// An expression in the first line is parsed, checked and evaluated with the JSON behind it as self.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::Text(data, size);
  const std::string_view expression = fuzz::TakeLine(text);
  constexpr kube::base::Release kRelease{1, 35};
  kube::cel::Environment environment(kRelease);
  environment.AddVariable("self", kube::cel::types::Dyn());
  const auto checked = kube::cel::Compile(environment, expression);
  if (!checked) {
    fuzz::Require(checked.error().starts_with("ERROR: <input>:"));
    return 0;
  }
  if (kube::base::utf8::IsValid(expression)) CheckPrinter(expression, kRelease);
  kube::cel::EstimateCost(**checked, nullptr);
  const auto program = kube::cel::Program::Make(environment, **checked);
  if (!program) return 0;
  kube::json::Document document;
  (void)document.Parse(text);
  kube::json::Arena arena;
  kube::cel::Memory memory(arena);
  const kube::cel::Value self = kube::cel::ReadJson(memory, document.root(), nullptr);
  kube::cel::Describe(program->Evaluate({&self, 1}, arena).value);
  return 0;
}
