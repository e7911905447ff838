#include <string>
#include <string_view>

#include "kube/admission/endpoint.h"
#include "kube/base/base64.h"
#include "kube/base/utf8.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::Require;
using namespace kube::admission;
using kube::json::Value;

/// Looks at all that a review has, and changes something of each kind.
Verdict LookAtAll(const Review& review, Reply& reply, ObjectDraft& draft) {
  Require(!review.uid.empty() && !review.resource.plural.empty() && !review.kind.kind.empty());
  Require(review.object == nullptr || review.object->is_object());
  Require(review.old_object == nullptr || review.old_object->is_object());
  for (const std::string_view group : review.user.groups) reply.AddWarning(group);
  for (const auto& [key, values] : review.user.extra) {
    reply.AddWarning(key);
    for (const std::string_view value : values)
      reply.Annotate(std::string(key), std::string(value));
  }
  if (review.options != nullptr) draft.Merge(*review.options);
  if (review.old_object != nullptr) draft.Merge(*review.old_object);
  draft.SetText({"spec", "name"}, review.name);
  draft.Remove({"metadata"});
  if (review.dry_run) return Refusal(std::string(review.user.username), 400);
  return Allowed();
}

Handlers LookingHandlers() {
  Handlers handlers;
  handlers.Add(Mutate("look", {.resources = {AnyResource()}, .subresource = "*"}, LookAtAll));
  return handlers;
}

std::string Keep(const Value& text) { return std::string(text.text()); }

}  // namespace

// Any bytes are a review that is answered as the API server wants it, or no review, which is told.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Handlers handlers = LookingHandlers();
  static const kube::base::SystemClock clock;
  static Endpoint endpoint(handlers, clock);

  kube::serve::Request request;
  request.method = "POST";
  request.target = "/look";
  request.body = fuzz::Text(data, size);
  const kube::serve::Response response = endpoint.Answer(request);

  kube::json::Document answer;
  Require(kube::base::utf8::IsValid(response.body) && !answer.Parse(response.body));
  kube::json::Document document;
  const auto review = ReadReview(request.body, document);
  Require(response.status == (review ? 200 : 400));
  if (!review) {
    Require(answer.root().FindText("kind") == "Status" && !review.error().empty());
    return 0;
  }
  const Value* said = answer.root().Find("response", kube::json::Type::kObject);
  Require(said != nullptr && answer.root().FindText("apiVersion") == review->api_version);
  Require(said->FindText("uid") == review->uid);
  if (const Value* warnings = said->Find("warnings")) {
    for (const Value& warning : warnings->elements()) {
      Require(WarningLine(warning.text()) == Keep(warning));
    }
  }
  if (const Value* patch = said->Find("patch")) {
    const auto text = kube::base::DecodeBase64(patch->text());
    kube::json::Document steps;
    Require(text.has_value() && !steps.Parse(*text) && !steps.root().empty());
    for (const Value& step : steps.root().elements()) Require(step.FindText("op") != "test");
  }
  return 0;
}
