#include "kube/mutation/mutation.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "kube/json/json_patch.h"
#include "kube/json/manifest_splitter.h"
#include "kube/mutation/tree.h"
#include "kube/yaml/yaml.h"

namespace kube::mutation {
namespace {

using json::Value;

constexpr std::string_view kGroup = "kubectl-prune/";
constexpr std::string_view kApiVersion = "kubectl-prune/v1alpha1";
constexpr std::string_view kKind = "Mutation";

// Of ObjectMeta (apimachinery pkg/apis/meta/v1), what a client cannot change.
constexpr std::array<std::string_view, 9> kSetByServer = {
    "uid",      "resourceVersion",   "generation",    "creationTimestamp",         "generateName",
    "selfLink", "deletionTimestamp", "managedFields", "deletionGracePeriodSeconds"};

std::size_t LineOf(std::uint64_t line) { return static_cast<std::size_t>(line); }

bool IsAbsentOr(const std::optional<std::string>& wanted, std::string_view text) {
  return !wanted || *wanted == text;
}

}  // namespace

/// Reads the documents of one text, as the splitter hands them out.
class Mutation::Reader : public json::ManifestSplitter::Sink {
 public:
  base::Result<Mutation, ParseError> Read(std::string_view text) {
    json::ManifestSplitter splitter(*this);
    auto error = splitter.Push(text);
    if (!error) error = splitter.Finish();
    if (error_) return base::Unexpected(*std::move(error_));
    if (error) {
      return base::Unexpected(ParseError{LineOf(error->position.line), "", error->message});
    }
    return std::move(mutation_);
  }

  void OnManifest(const json::ManifestSplitter::Manifest& manifest) override {
    if (error_) return;
    auto text = std::make_shared<json::Document>();
    first_line_ = LineOf(manifest.position.line);
    lines_ = {};
    if (!ParseText(manifest, *text) || text->root().is_null()) return;
    if (lines_.repeated) {
      Fail(lines_.repeated->pointer, KeyOf(lines_.repeated->pointer), "is there twice");
      return;
    }
    TakeDocument(std::move(text));
  }

 private:
  bool ParseText(const json::ManifestSplitter::Manifest& manifest, json::Document& document) {
    if (manifest.format == json::ManifestSplitter::Format::kJson) {
      const auto error = document.Parse(manifest.text);
      if (error) Fail("", "", error->message);
      // For where its keys stand; what is JSON and no YAML goes without.
      json::Document scratch;
      if (!error && yaml::Parse(manifest.text, first_line_, scratch, nullptr, &lines_)) lines_ = {};
      return !error;
    }
    std::vector<yaml::BooleanKey> booleans;
    auto error = yaml::Parse(manifest.text, first_line_, document, &booleans, &lines_,
                             yaml::BracketKeys::kTaken);
    if (error) {
      error_ = {error->line, "", std::move(error->message)};
    } else if (!booleans.empty()) {
      const yaml::BooleanKey& key = booleans.front();
      error_ = {key.line, key.text,
                std::string("is read as ") + (key.value ? "true" : "false") + "; quote it"};
    }
    return !error_;
  }

  void Fail(std::string_view pointer, std::string key, std::string message) {
    error_ = {lines_.LineOf(pointer, first_line_), std::move(key), std::move(message)};
  }

  void Fail(TreeError error) {
    Fail(error.pointer, std::move(error.key), std::move(error.message));
  }

  // "/spec/a~1b" as "spec.a/b".
  static std::string KeyOf(std::string_view pointer) {
    std::string key;
    for (std::size_t i = 1; i < pointer.size(); ++i) {
      const bool is_escape = pointer[i] == '~' && i + 1 < pointer.size();
      if (is_escape) {
        key += pointer[++i] == '0' ? '~' : '/';
      } else {
        key += pointer[i] == '/' ? '.' : pointer[i];
      }
    }
    return key;
  }

  void TakeDocument(std::shared_ptr<const json::Document> text) {
    const Value& root = text->root();
    TreeDocument document{.text = text, .limits = {}, .match = {}, .tree = {}};
    const bool is_wrapped = root.FindText("apiVersion").starts_with(kGroup) ||
                            (root.FindText("kind") == kKind && root.Find("apiVersion") == nullptr);
    const bool is_taken = is_wrapped ? TakeWrapped(root, document) : TakeTree(root, {}, document);
    if (is_taken) mutation_.documents_.push_back(std::move(document));
  }

  bool TakeWrapped(const Value& root, TreeDocument& document) {
    if (root.FindText("apiVersion") != kApiVersion || root.FindText("kind") != kKind) {
      return Refuse("/apiVersion", "apiVersion",
                    "a Mutation has apiVersion: kubectl-prune/v1alpha1 and kind: Mutation");
    }
    for (const json::Member& member : root.members()) {
      const std::string_view name = member.key.text();
      const bool is_known =
          name == "apiVersion" || name == "kind" || name == "metadata" || name == "spec";
      if (!is_known) return RefuseUnknown("", "", name);
    }
    const Value* spec = root.Find("spec", json::Type::kObject);
    const Value* tree = spec == nullptr ? nullptr : spec->Find("tree");
    if (tree == nullptr) return Refuse("/spec", "spec", "a Mutation has a map spec.tree");
    for (const json::Member& member : spec->members()) {
      const std::string_view name = member.key.text();
      if (name != "tree" && name != "match") return RefuseUnknown("/spec", "spec.", name);
    }
    return TakeMatch(spec->Find("match"), document) &&
           TakeTree(*tree, {"/spec/tree", "spec.tree"}, document);
  }

  bool RefuseUnknown(std::string pointer, const std::string& parent, std::string_view name) {
    json::AppendPointerToken(pointer, name);
    return Refuse(pointer, parent + std::string(name),
                  "is unknown; a Mutation has spec.match and spec.tree");
  }

  bool TakeMatch(const Value* match, TreeDocument& document) {
    if (match == nullptr) return true;
    auto pattern = ReadTree(*match, {"/spec/match", "spec.match"});
    if (!pattern) return Refuse(std::move(pattern).error());
    document.match = *std::move(pattern);
    return true;
  }

  bool TakeTree(const Value& value, const TreePlace& place, TreeDocument& document) {
    auto tree = ReadTree(value, place);
    if (!tree) return Refuse(std::move(tree).error());
    document.tree = *std::move(tree);
    place_ = place;
    document.has_references = HasReference(document.tree);
    return TakeLimits(document);
  }

  bool TakeLimits(TreeDocument& document) {
    Limits& limits = document.limits;
    std::vector<Node>& entries = document.tree.below;
    if (!TakeText(entries, "", "apiVersion", limits.api_version)) return false;
    if (!TakeText(entries, "", "kind", limits.kind)) return false;
    const auto metadata = std::ranges::find(entries, "metadata", &Node::name);
    if (metadata == entries.end()) return true;
    if (metadata->replaces || metadata->kind != Node::Kind::kMap) {
      return RefuseKey(*metadata, "", "can only be a map that is merged");
    }
    std::vector<Node>& below = metadata->below;
    for (const Node& entry : below) {
      if (std::ranges::find(kSetByServer, entry.name) == kSetByServer.end()) continue;
      return RefuseKey(entry, "metadata", "is what only the server sets; leave it out");
    }
    return TakeText(below, "metadata", "name", limits.name) &&
           TakeText(below, "metadata", "namespace", limits.namespace_);
  }

  // Of the entry of that name, which goes.
  bool TakeText(std::vector<Node>& entries, std::string_view parent, std::string_view name,
                std::optional<std::string>& text) {
    const auto entry = std::ranges::find(entries, name, &Node::name);
    if (entry == entries.end()) return true;
    const bool is_text = entry->kind == Node::Kind::kValue && entry->value.is_string();
    if (entry->replaces || !is_text) {
      return RefuseKey(
          *entry, parent,
          "says which objects the tree is for: it has to be a text, and cannot be changed");
    }
    text = std::string(entry->value.text());
    entries.erase(entry);
    return true;
  }

  bool RefuseKey(const Node& entry, std::string_view parent, std::string message) {
    const std::string name = entry.replaces ? "[" + entry.name + "]" : entry.name;
    std::string pointer = place_.pointer, key = place_.key;
    for (const std::string_view step : {parent, std::string_view(name)}) {
      if (step.empty()) continue;
      pointer.append("/").append(step);
      key.append(key.empty() ? "" : ".").append(step);
    }
    return Refuse(pointer, std::move(key), std::move(message));
  }

  bool Refuse(std::string_view pointer, std::string key, std::string message) {
    Fail(pointer, std::move(key), std::move(message));
    return false;
  }

  bool Refuse(TreeError error) {
    Fail(std::move(error));
    return false;
  }

  Mutation mutation_;
  std::optional<ParseError> error_;
  yaml::KeyLines lines_;        // of the document that is being read
  std::size_t first_line_ = 1;  // the same
  TreePlace place_;             // of the tree in it
};

base::Result<Mutation, ParseError> Mutation::Parse(std::string_view text) {
  return Reader().Read(text);
}

void Mutation::Append(Mutation other) {
  std::move(other.documents_.begin(), other.documents_.end(), std::back_inserter(documents_));
}

Value Mutation::Apply(const Value& object, json::Arena& arena) const {
  Value result = json::CopyForChange(object, arena);
  for (const TreeDocument& document : documents_) {
    if (!IsFor(document, result)) continue;
    const Value source =
        document.has_references ? json::CopyForChange(result, arena) : Value::Object();
    Merge(document.tree, source, result, arena);
  }
  return result;
}

bool Mutation::IsFor(const TreeDocument& document, const Value& object) {
  const Value* metadata = object.Find("metadata");
  const auto text = [metadata](std::string_view key) {
    return metadata == nullptr ? std::string_view() : metadata->FindText(key);
  };
  const Limits& limits = document.limits;
  return IsAbsentOr(limits.api_version, object.FindText("apiVersion")) &&
         IsAbsentOr(limits.kind, object.FindText("kind")) &&
         IsAbsentOr(limits.name, text("name")) &&
         IsAbsentOr(limits.namespace_, text("namespace")) &&
         (!document.match || Fits(*document.match, object, &object));
}

bool Mutation::Names(std::string_view member, std::string_view kind) const {
  return std::ranges::any_of(documents_, [=](const TreeDocument& document) {
    return IsAbsentOr(document.limits.kind, kind) &&
           std::ranges::any_of(document.tree.below,
                               [member](const Node& entry) { return entry.name == member; });
  });
}

}  // namespace kube::mutation
