#include "tests/support/fake_api.h"
#include "tests/support/fake_object.h"

namespace test_support {
namespace {

using kube::json::Document;
using kube::json::Value;

constexpr char kConfigMaps[] = "configmaps";

FakeAnswer Refusal(int code, const std::string& reason, const std::string& name,
                   const std::string& why) {
  return FakeStatus(code, reason, std::string(kConfigMaps) + " \"" + name + "\" " + why,
                    R"({"name":")" + name + R"(","kind":"configmaps"})");
}

std::string TextIn(const Value& object, const std::string& key) {
  const Value* metadata = object.Find("metadata");
  return metadata == nullptr ? "" : std::string(metadata->FindText(key));
}

}  // namespace

// Of one: it is read, made, and replaced where it still has the resourceVersion that is sent.
std::optional<FakeAnswer> FakeApi::AnswerConfigMaps(const kube::client::HttpRequest& request,
                                                    const std::vector<std::string>& path) {
  const bool is_one = path.size() == 6;
  const bool creates = path.size() == 5 && request.method == "POST";
  const bool updates = is_one && request.method == "PUT";
  if (!creates && !updates && !(is_one && request.method == "GET")) return std::nullopt;
  if (forbidden_.contains(kConfigMaps)) {
    return Refusal(403, "Forbidden", is_one ? path[5] : "", "is forbidden: User \"alice\" cannot");
  }
  auto body = std::make_shared<Document>();
  if (request.method != "GET" && body->Parse(request.body)) {
    return FakeStatus(400, "BadRequest", "the body is no JSON");
  }
  const std::string name = is_one ? path[5] : TextIn(body->root(), "name");
  const std::string key = path[3] + "/" + name;
  const Value* stored = FindObject(kConfigMaps, key);
  if (creates && stored != nullptr) return Refusal(409, "AlreadyExists", name, "already exists");
  if (!creates && stored == nullptr) return Refusal(404, "NotFound", name, "not found");
  if (updates && TextIn(body->root(), "resourceVersion") != TextIn(*stored, "resourceVersion")) {
    return Refusal(409, "Conflict", name, "was modified");
  }
  if (creates || updates) Put(kConfigMaps, key, body);
  return FakeText(creates ? 201 : 200, "application/json",
                  kube::json::Print(*FindObject(kConfigMaps, key)) + "\n");
}

}  // namespace test_support
