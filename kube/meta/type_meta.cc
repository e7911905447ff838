#include "kube/meta/type_meta.h"

#include <algorithm>
#include <vector>

#include "kube/base/text.h"
#include "kube/go/go_format.h"

namespace kube::meta {
namespace {

/// Prints a value as fmt's %v does. Keeps its own stack: values may be nested very deeply.
class GoPrinter {
 public:
  explicit GoPrinter(std::string& out) : out_(out) {}

  void Print(const json::Value& value) {
    Begin(value);
    while (!open_.empty()) PrintNextChild();
  }

 private:
  struct Child {
    std::string_view key;
    const json::Value* value;
  };
  struct Open {
    bool is_map;
    std::vector<Child> children;
    std::size_t next = 0;
  };

  void Begin(const json::Value& value) {
    switch (value.type()) {
      case json::Type::kNull:
        out_ += "<nil>";
        break;
      case json::Type::kBool:
        out_ += value.AsBool() ? "true" : "false";
        break;
      case json::Type::kString:
        out_ += value.text();
        break;
      case json::Type::kNumber:
        PrintNumber(value);
        break;
      case json::Type::kArray:
        BeginArray(value);
        break;
      case json::Type::kObject:
        BeginMap(value);
        break;
    }
  }

  void PrintNumber(const json::Value& value) {
    const auto number = json::AsDouble(value);
    out_ +=
        number && !json::AsInt64(value) ? json::FormatFloatG(*number) : std::string(value.text());
  }

  void BeginArray(const json::Value& array) {
    out_ += '[';
    Open& open = open_.emplace_back(Open{false, {}});
    for (const json::Value& element : array.elements()) open.children.push_back({{}, &element});
  }

  void BeginMap(const json::Value& object) {
    out_ += "map[";
    Open& open = open_.emplace_back(Open{true, {}});
    for (const json::Member& member : object.members()) {
      open.children.push_back({member.key.text(), &member.value});
    }
    std::ranges::sort(open.children, {}, &Child::key);
  }

  void PrintNextChild() {
    Open& open = open_.back();
    if (open.next == open.children.size()) {
      out_ += ']';
      open_.pop_back();
      return;
    }
    if (open.next > 0) out_ += ' ';
    const Child child = open.children[open.next++];
    if (open.is_map) out_.append(child.key).append(":");
    Begin(*child.value);
  }

  std::string& out_;
  std::vector<Open> open_;
};

std::string JsonParseError(const std::string& cause) {
  return "couldn't get version/kind; json parse error: json: cannot unmarshal " + cause;
}

}  // namespace

std::string GroupVersion::ToString() const {
  if (group.empty()) return std::string(version);
  return std::string(group) + "/" + std::string(version);
}

base::Result<GroupVersion, std::string> ParseGroupVersion(std::string_view api_version) {
  if (api_version.empty() || api_version == "/") return GroupVersion{};
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return GroupVersion{{}, api_version};
  if (api_version.find('/', slash + 1) != std::string_view::npos) {
    return base::Unexpected("unexpected GroupVersion string: " + std::string(api_version));
  }
  return GroupVersion{api_version.substr(0, slash), api_version.substr(slash + 1)};
}

std::string GroupVersionKind::ToString() const {
  // Go prints the struct of both parts with the slash, also where they are empty.
  return std::string(group_version.group) + "/" + std::string(group_version.version) +
         ", Kind=" + std::string(kind);
}

GroupVersionKind TypeOf(const json::Value& object) {
  const auto group_version = ParseGroupVersion(object.FindText("apiVersion"));
  if (!group_version) return {};
  return {*group_version, object.FindText("kind")};
}

std::optional<std::string> RequestTypeError(const json::Value& body) {
  if (body.is_null()) return std::nullopt;
  if (!body.is_object()) {
    return JsonParseError(std::string(json::TypeName(body.type())) +
                          " into Go value of type struct { APIVersion string "
                          "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
                          "\"json:\\\"kind,omitempty\\\"\" }");
  }
  std::string_view api_version;
  for (const json::Member& member : body.members()) {
    // encoding/json matches the keys of a struct without regard to case.
    const bool is_api_version = base::EqualFold(member.key.text(), "apiversion");
    if (!is_api_version && !base::EqualFold(member.key.text(), "kind")) continue;
    if (member.value.is_null()) continue;
    if (!member.value.is_string()) {
      return JsonParseError(std::string(json::TypeName(member.value.type())) +
                            " into Go struct field ." + (is_api_version ? "apiVersion" : "kind") +
                            " of type string");
    }
    if (is_api_version) api_version = member.value.text();
  }
  auto group_version = ParseGroupVersion(api_version);
  if (!group_version) return group_version.error();
  return std::nullopt;
}

base::Result<std::optional<std::string_view>, std::string> NestedString(const json::Value& object,
                                                                        std::string_view key) {
  const json::Value* value = object.Find(key);
  if (value == nullptr) return std::optional<std::string_view>();
  if (value->is_string()) return std::optional(value->text());
  std::string error = "." + std::string(key) + " accessor error: ";
  GoPrinter(error).Print(*value);
  return base::Unexpected(error + " is of the type " + std::string(json::GoTypeName(*value)) +
                          ", expected string");
}

}  // namespace kube::meta
