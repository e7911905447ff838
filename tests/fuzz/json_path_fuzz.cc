#include "plugin/report/json_path_template.h"
#include "tests/fuzz/fuzz.h"

// A template in the first line prints any object in the next, in each style, or is an error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plugin::report::JsonPathTemplate;
  std::string_view text = fuzz::Text(data, size);
  const auto path = JsonPathTemplate::Parse(fuzz::TakeLine(text));
  kube::json::Document object;
  if (!path || object.Parse(text)) return 0;
  for (const auto style : {JsonPathTemplate::Style::kText, JsonPathTemplate::Style::kJson}) {
    const auto strict = path->Print(object.root(), style, /*allow_missing_keys=*/false);
    const auto lenient = path->Print(object.root(), style, /*allow_missing_keys=*/true);
    // What needs no leave is printed alike with it.
    fuzz::Require(!strict || (lenient && *lenient == *strict));
  }
  return 0;
}
