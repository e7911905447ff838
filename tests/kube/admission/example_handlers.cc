#include "tests/kube/admission/example_handlers.h"

#include <charconv>
#include <string>

#include "kube/serve/certificates.h"

// docs/ADMISSION.md shows what stands between the two marks; tests/docs_test.py compares.
// [example]
namespace example {

using namespace kube::admission;
using kube::json::Value;

const Value* NumberOf(const Review& review) {
  const Value* spec = review.object->Find("spec");
  return spec == nullptr ? nullptr : spec->Find("number");
}

// Says yes or no, and warns.
Verdict CheckNumber(const Review& review, Reply& reply) {
  const Value* number = NumberOf(review);
  if (number == nullptr) {
    reply.AddWarning("spec.number is not set");
  } else if (!number->is_number()) {
    return Refusal("spec.number must be a number", 422, "Invalid");
  }
  return Allowed();
}

// Sets a default.
Verdict SetNumber(const Review&, Reply&, ObjectDraft& draft) {
  if (draft.Find({"spec", "number"}) == nullptr) draft.SetNumber({"spec", "number"}, 1);
  return Allowed();
}

// Makes the number 5 of the text "5", and leaves any other text to CheckNumber.
Verdict ConvertNumber(const Review&, Reply& reply, ObjectDraft& draft) {
  const Value* value = draft.Find({"spec", "number"});
  if (value == nullptr || !value->is_string()) return Allowed();
  const std::string text(value->text());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return Allowed();
  draft.SetNumber({"spec", "number"}, number);
  reply.AddWarning("spec.number is the text \"" + text + "\": write it without quotes");
  return Allowed();
}

// Shows what else a handler knows of a request.
Verdict ShowCaller(const Review& review, Reply& reply) {
  reply.AddWarning("user: " + std::string(review.user.username));
  if (review.http == nullptr) return Allowed();
  if (const std::string* agent = review.http->FindHeader("User-Agent")) {
    reply.AddWarning("server: " + *agent);
  }
  if (const auto& peer = review.http->peer) {
    reply.AddWarning("certificate: " + peer->subject.text + ", serial number " +
                     peer->serial_number);
  }
  return Allowed();
}

// Is asked only about what is not to go.
Verdict KeepWidget(const Review&, Reply&) {
  return Refusal("the widget is in use: stop it first", 409, "Conflict");
}

Handlers ExampleHandlers() {
  const HandlerOptions widgets{.resources = {{"demo.example.com", "*", "widgets"}},
                               .operations = {Operation::kCreate, Operation::kUpdate}};
  HandlerOptions watched = widgets;
  watched.object.labels = {LabelExists("watched")};
  watched.ignore_failures = true;
  watched.timeout = std::chrono::seconds(3);
  HandlerOptions running = widgets;
  running.operations = {Operation::kDelete};
  running.object.annotations = {AnnotationDoesNotExist("demo.example.com/abandoned")};
  running.object.fields = {FieldIs({"spec", "state"}, "running")};
  running.when = [](const Review& review) { return review.user.username != "janitor"; };
  Handlers handlers;
  handlers.Add(Validate("check_number", widgets, CheckNumber));
  handlers.Add(Mutate("set_number", widgets, SetNumber));
  handlers.Add(Mutate("convert_number", widgets, ConvertNumber));
  handlers.Add(Validate("show_caller", watched, ShowCaller));
  handlers.Add(Validate("keep_widget", running, KeepWidget));
  return handlers;
}

}  // namespace example
// [end of example]
