#include "kube/admission/review.h"

#include <array>

#include "kube/base/utf8.h"

namespace kube::admission {
namespace {

using json::Type;
using json::Value;

// Of what is repeated in questions, answers and messages.
constexpr std::size_t kMostUidBytes = 1024, kMostUserBytes = 256 * 1024;

constexpr std::array<std::string_view, 4> kOperationNames = {"CREATE", "UPDATE", "DELETE",
                                                             "CONNECT"};

std::string Below(std::string_view path, std::string_view key) {
  return std::string(path).append(".").append(key);
}

/// Reads the fields of a review, and keeps the first thing that is wrong.
class ReviewReader {
 public:
  /// The value at `key`; the null pointer where it is absent or null, or, which is an error, of
  /// another type.
  const Value* Find(const Value& parent, std::string_view path, std::string_view key, Type type) {
    const Value* value = parent.Find(key);
    if (value == nullptr || value->is_null()) return nullptr;
    if (value->type() == type) return value;
    FailType(Below(path, key), value->type(), type);
    return nullptr;
  }

  std::string_view Text(const Value& parent, std::string_view path, std::string_view key) {
    const Value* value = Find(parent, path, key, Type::kString);
    return value == nullptr ? std::string_view() : value->text();
  }

  std::string_view NeededText(const Value& parent, std::string_view path, std::string_view key) {
    const std::string_view text = Text(parent, path, key);
    if (text.empty()) Fail(Below(path, key), "is missing");
    return text;
  }

  std::vector<std::string_view> Texts(const Value& list, const std::string& path) {
    std::vector<std::string_view> texts;
    for (const Value& element : list.elements()) {
      if (!element.is_string()) FailType(path + "[*]", element.type(), Type::kString);
      texts.push_back(element.text());
    }
    return texts;
  }

  void Fail(const std::string& path, const std::string& what) {
    if (!error_) error_ = path + " " + what;
  }

  const std::optional<std::string>& error() const { return error_; }

 private:
  void FailType(const std::string& path, Type type, Type expected) {
    Fail(path, "is of the type " + std::string(TypeName(type)) + ", expected " +
                   std::string(TypeName(expected)));
  }

  std::optional<std::string> error_;
};

ReviewedKind ReadKind(ReviewReader& reader, const Value& kind, std::string_view path) {
  return {reader.Text(kind, path, "group"), reader.Text(kind, path, "version"),
          reader.NeededText(kind, path, "kind")};
}

ReviewedResource ReadResource(ReviewReader& reader, const Value& resource, std::string_view path) {
  return {reader.Text(resource, path, "group"), reader.Text(resource, path, "version"),
          reader.NeededText(resource, path, "resource")};
}

constexpr std::string_view kRequest = "request";

void ReadTypes(ReviewReader& reader, const Value& request, Review& review) {
  const auto find = [&](std::string_view key) {
    return reader.Find(request, kRequest, key, Type::kObject);
  };
  const Value* kind = find("kind");
  const Value* resource = find("resource");
  if (kind == nullptr) return reader.Fail("request.kind", "is missing");
  if (resource == nullptr) return reader.Fail("request.resource", "is missing");
  review.kind = ReadKind(reader, *kind, "request.kind");
  review.resource = ReadResource(reader, *resource, "request.resource");
  review.subresource = reader.Text(request, kRequest, "subResource");
  review.request_kind = review.kind;
  review.request_resource = review.resource;
  review.request_subresource = review.subresource;
  if (const Value* asked = find("requestKind")) {
    review.request_kind = ReadKind(reader, *asked, "request.requestKind");
  }
  if (const Value* asked = find("requestResource")) {
    review.request_resource = ReadResource(reader, *asked, "request.requestResource");
    // Where it is empty the server leaves the field out.
    review.request_subresource = reader.Text(request, kRequest, "requestSubResource");
  }
}

void ReadOperation(ReviewReader& reader, const Value& request, Review& review) {
  const std::string_view text = reader.NeededText(request, kRequest, "operation");
  for (std::size_t i = 0; i < kOperationNames.size(); ++i) {
    if (kOperationNames[i] != text) continue;
    review.operation = static_cast<Operation>(i);
    return;
  }
  reader.Fail("request.operation:", json::Print(Value::String(base::utf8::Prefix(text, 64))) +
                                        " is none of CREATE, UPDATE, DELETE and CONNECT");
}

UserInfo ReadUser(ReviewReader& reader, const Value& user) {
  constexpr std::string_view kPath = "request.userInfo";
  UserInfo info;
  if (json::PrintedSize(user) > kMostUserBytes) {
    reader.Fail(std::string(kPath), "is larger than a user can be");
    return info;
  }
  info.username = reader.Text(user, kPath, "username");
  info.uid = reader.Text(user, kPath, "uid");
  if (const Value* groups = reader.Find(user, kPath, "groups", Type::kArray)) {
    info.groups = reader.Texts(*groups, "request.userInfo.groups");
  }
  const Value* extra = reader.Find(user, kPath, "extra", Type::kObject);
  if (extra == nullptr) return info;
  for (const json::Member& member : extra->members()) {
    const std::string_view key = member.key.text();
    const Value* values = reader.Find(*extra, "request.userInfo.extra", key, Type::kArray);
    if (values == nullptr) continue;
    info.extra.emplace_back(key, reader.Texts(*values, Below("request.userInfo.extra", key)));
  }
  return info;
}

void ReadRequest(ReviewReader& reader, const Value& request, Review& review) {
  review.uid = reader.NeededText(request, kRequest, "uid");
  if (review.uid.size() > kMostUidBytes) reader.Fail("request.uid", "is too long");
  ReadTypes(reader, request, review);
  ReadOperation(reader, request, review);
  review.name = reader.Text(request, kRequest, "name");
  review.namespace_ = reader.Text(request, kRequest, "namespace");
  if (const Value* user = reader.Find(request, kRequest, "userInfo", Type::kObject)) {
    review.user = ReadUser(reader, *user);
  }
  review.object = reader.Find(request, kRequest, "object", Type::kObject);
  review.old_object = reader.Find(request, kRequest, "oldObject", Type::kObject);
  review.options = reader.Find(request, kRequest, "options", Type::kObject);
  const Value* dry_run = reader.Find(request, kRequest, "dryRun", Type::kBool);
  review.dry_run = dry_run != nullptr && dry_run->AsBool();
}

}  // namespace

std::string_view OperationName(Operation operation) {
  return kOperationNames.at(static_cast<std::size_t>(operation));
}

base::Result<Review, std::string> ReadReview(std::string_view body, json::Document& document,
                                             const json::MemoryQuestion& may_take) {
  if (const auto error = document.Parse(body, may_take)) {
    return base::Unexpected("no JSON: " + error->message);
  }
  const Value& root = document.root();
  Review review;
  review.api_version = root.FindText("apiVersion");
  if (root.FindText("kind") != "AdmissionReview" ||
      (review.api_version != "admission.k8s.io/v1" &&
       review.api_version != "admission.k8s.io/v1beta1")) {
    return base::Unexpected<std::string>(
        "no AdmissionReview of admission.k8s.io/v1 or admission.k8s.io/v1beta1");
  }
  const Value* request = root.Find("request", Type::kObject);
  if (request == nullptr) return base::Unexpected<std::string>("request is missing");
  ReviewReader reader;
  ReadRequest(reader, *request, review);
  if (reader.error()) return base::Unexpected(*reader.error());
  return review;
}

}  // namespace kube::admission
