#include "migrate/populate/single_write.h"

#include <cstddef>

#include "kube/base/utf8.h"
#include "kube/client/answer_meaning.h"
#include "kube/json/json.h"
#include "migrate/populate/keys.h"
#include "migrate/populate/population_input.h"
#include "migrate/rewrite/retry.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::populate {
namespace {

using kube::json::Arena;
using kube::json::Value;

// NoteLengthLimit (kubernetes pkg/apis/core/validation/events.go), in bytes.
constexpr std::size_t kMostNoteBytes = 1024;

std::string NamespacePath(const std::string& namespace_) {
  return std::string(kNamespacesPath) + "/" + kube::client::UrlEscape(namespace_);
}

kube::client::ApiRequest Write(std::string method, std::string target, const Value& body) {
  kube::client::ApiRequest request;
  request.method = std::move(method);
  request.target = std::move(target) + "?fieldManager=" + kFieldManager;
  request.accept = rewrite::kMetadataAccept;
  request.content_type = "application/json";
  request.body = kube::json::Print(body);
  request.retry = false;
  return request;
}

Value Object(std::initializer_list<std::pair<const char*, Value>> entries, Arena& arena) {
  Value object = Value::Object();
  for (const auto& [key, value] : entries) object.SetNew(key, value, arena);
  return object;
}

}  // namespace

SingleWrite::Step SingleWrite::OnAnswer(std::string_view,
                                        const std::optional<kube::client::CallError>& error,
                                        kube::json::Document&, kube::base::Clock::TimePoint) {
  error_ = error;
  was_slowdown_ = error && rewrite::ClassifyAnswer(*error).is_slowdown;
  retry_after_ = error && error->status ? error->status->retry_after : std::nullopt;
  return Step::kDone;
}

// An Event is in the namespace of what it is about, as which that of a Namespace has to be named
// (legacyValidateEvent in the same file).
kube::client::ApiRequest EventRequest(const PopulationEvent& event, const std::string& time) {
  Arena arena;
  const auto text = [](std::string_view value) { return Value::String(value); };
  const bool is_template = event.about == PopulationEvent::About::kTemplate;
  const std::string namespace_ = is_template ? "default" : event.name;
  const std::string api_version = is_template ? std::string(kGroup) + "/" + kVersion : "v1";
  const std::string prefix = event.name.substr(0, 50) + ".";
  const std::string message(kube::base::utf8::Prefix(event.message, kMostNoteBytes));
  Value about = Object({{"apiVersion", text(api_version)},
                        {"kind", text(is_template ? kTemplateKind : "Namespace")},
                        {"name", text(event.name)},
                        {"uid", text(event.uid)}},
                       arena);
  if (!is_template) about.SetNew("namespace", text(namespace_), arena);
  const Value metadata =
      Object({{"generateName", text(prefix)}, {"namespace", text(namespace_)}}, arena);
  const Value source = Object({{"component", text(kFieldManager)}}, arena);
  const Value body = Object({{"apiVersion", text("v1")},
                             {"kind", text("Event")},
                             {"metadata", metadata},
                             {"involvedObject", about},
                             {"reason", text(event.reason)},
                             {"message", text(message)},
                             {"type", text(event.is_warning ? "Warning" : "Normal")},
                             {"source", source},
                             {"firstTimestamp", text(time)},
                             {"lastTimestamp", text(time)},
                             {"count", Value::Number(std::int64_t{1}, arena)}},
                            arena);
  return Write("POST", NamespacePath(namespace_) + "/events", body);
}

kube::client::ApiRequest PopulatedLabelRequest(const std::string& namespace_,
                                               const std::string& uid) {
  Arena arena;
  const Value labels = Object({{kPopulatedLabel, Value::String("true")}}, arena);
  const Value metadata = Object({{"uid", Value::String(uid)}, {"labels", labels}}, arena);
  auto request = Write("PATCH", NamespacePath(namespace_), Object({{"metadata", metadata}}, arena));
  request.content_type = "application/merge-patch+json";
  return request;
}

}  // namespace migrate::populate
