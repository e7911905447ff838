#include "kube/mutation/mutation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "kube/go/go_format.h"
#include "kube/json/json_patch.h"
#include "kube/json/manifest_splitter.h"
#include "kube/meta/path_text.h"
#include "kube/yaml/yaml.h"

namespace kube::mutation {
namespace {

using json::Arena;
using json::Value;

/// A text that is as a whole in parentheses, `(spec.legacyMode)`: the value that the object has at
/// that path.
bool LooksLikeReference(std::string_view text) {
  return text.size() >= 2 && text.front() == '(' && text.back() == ')';
}

class Reference {
 public:
  /// `text` LooksLikeReference. The path is one as ParsePathText reads it, to one value. The error
  /// says what is wrong with it.
  static base::Result<Reference, std::string> Parse(std::string_view text);

  /// The null pointer where the object has nothing there.
  const json::Value* FindIn(const json::Value& object) const;

 private:
  std::vector<meta::WrittenStep> steps_;
};

const json::Value* Follow(const json::Value& value, const meta::WrittenStep& step) {
  if (!step.is_index) return value.Find(step.name);
  std::size_t index = 0;
  const char* end = step.name.data() + step.name.size();
  const bool is_read = std::from_chars(step.name.data(), end, index).ec == std::errc();
  return is_read && index < value.elements().size() ? &value.elements()[index] : nullptr;
}

// Outside of ['...'].
bool HasBlank(std::string_view text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '\'') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && static_cast<unsigned char>(text[i]) <= ' ') {
      return true;
    }
  }
  return false;
}

base::Result<Reference, std::string> Reference::Parse(std::string_view text) {
  const std::string_view path = text.substr(1, text.size() - 2);
  if (HasBlank(path)) {
    return base::Unexpected<std::string>("a name with blanks has to be quoted, as ['a b']");
  }
  auto steps = meta::ParsePathText(path);
  if (!steps) return base::Unexpected(std::move(steps).error());
  Reference reference;
  for (const meta::WrittenStep& step : *steps) {
    if (step.is_any) return base::Unexpected<std::string>("it does not lead to one value");
  }
  reference.steps_ = *std::move(steps);
  return reference;
}

const json::Value* Reference::FindIn(const json::Value& object) const {
  const json::Value* value = &object;
  for (const meta::WrittenStep& step : steps_) {
    value = Follow(*value, step);
    if (value == nullptr) return nullptr;
  }
  return value;
}

/// What a mutation tree says, once it is read, and what it does (mutation.h says by which rules).
struct Node {
  enum class Kind : std::uint8_t {
    kRemove,     ///< null, as the value of a key
    kValue,      ///< a scalar; in a list null, too
    kReference,  ///< what the object has at a path
    kList,
    kMap,
  };

  Kind kind = Kind::kRemove;
  json::Value value{};        ///< borrowed from the text's document
  Reference reference{};      ///< of a kReference
  std::vector<Node> below{};  ///< elements of a kList, values of a kMap in the order of the text
  // Of a value of a kMap:
  std::string name{};
  bool replaces = false;  ///< [name]: the value is replaced as a whole
};

// A tree has no more (TreeReader); of a value that is referred to what is deeper is replaced.
constexpr std::size_t kDeepestMerge = 200;

class Merger {
 public:
  Merger(const Value& source, Arena& arena) : source_(source), arena_(arena) {}

  void MergeInto(Value& target, const Node& tree) {
    for (const Node& entry : tree.below) MergeEntry(target, entry);
  }

  /// The tree as it is where nothing is there; absent: it is left out.
  std::optional<Value> Build(const Node& tree) {
    switch (tree.kind) {
      case Node::Kind::kRemove:
        return std::nullopt;
      case Node::Kind::kValue:
        return tree.value;
      case Node::Kind::kReference:
        return Resolve(tree);
      case Node::Kind::kList:
        return BuildList(tree);
      case Node::Kind::kMap:
        break;
    }
    Value map = Value::Object();
    MergeInto(map, tree);
    return map;
  }

 private:
  void MergeEntry(Value& target, const Node& entry) {
    if (entry.kind == Node::Kind::kRemove) {
      target.Erase(entry.name);
      return;
    }
    Value* there = target.Find(entry.name);
    const bool merges = there != nullptr && there->is_object() && !entry.replaces;
    if (merges && entry.kind == Node::Kind::kMap) return MergeInto(*there, entry);
    const auto built = Build(entry);
    if (!built) return;  // of a reference to nothing: as if the key were not there
    const bool is_map = entry.kind == Node::Kind::kReference && built->is_object();
    if (merges && is_map) return MergeValue(*there, *built);
    target.Set(arena_.Copy(entry.name), *built, arena_);
  }

  // What a reference brings has no keys of special meaning.
  void MergeValue(Value& target, const Value& value, std::size_t depth = 1) {
    for (const json::Member& member : value.members()) {
      Value* there = target.Find(member.key.text());
      const bool are_maps = there != nullptr && there->is_object() && member.value.is_object();
      if (are_maps && depth < kDeepestMerge) {
        MergeValue(*there, member.value, depth + 1);
      } else {
        target.Set(member.key.text(), member.value, arena_);
      }
    }
  }

  std::optional<Value> Resolve(const Node& tree) {
    const Value* found = tree.reference.FindIn(source_);
    if (found == nullptr) return std::nullopt;
    return json::CopyForChange(*found, arena_);
  }

  Value BuildList(const Node& tree) {
    Value list = Value::Array();
    for (const Node& element : tree.below) {
      if (const auto built = Build(element)) list.Append(*built, arena_);
    }
    return list;
  }

  const Value& source_;
  Arena& arena_;
};

/// Applies `tree`, a map, to `target`, an object, in place. References take their values from
/// `source`, which must not change meanwhile; what comes of them is copied. The result borrows from
/// the tree, from `source` and from `arena`.
void Merge(const Node& tree, const Value& source, Value& target, Arena& arena) {
  Merger(source, arena).MergeInto(target, tree);
}

/// Whether `value`, the null pointer if there is none, fits the tree: every key that it has is
/// there with a value that fits; null is a key that is not there, or null; scalars and lists are
/// equal; [key] is equal as a whole. A reference, to `source`, is equal to what is there; where
/// that is nothing it says nothing.
bool Fits(const Node& tree, const Value& source, const Value* value);

bool FitEntries(const Node& tree, const Value& source, const Value& value) {
  return std::ranges::all_of(tree.below, [&](const Node& entry) {
    const Value* there = value.Find(entry.name);
    if (!entry.replaces) return Fits(entry, source, there);
    Arena arena;
    const auto built = Merger(source, arena).Build(entry);
    return built ? there != nullptr && Equal(*there, *built) : there == nullptr;
  });
}

bool Fits(const Node& tree, const Value& source, const Value* value) {
  if (tree.kind == Node::Kind::kRemove) return value == nullptr || value->is_null();
  if (tree.kind == Node::Kind::kMap) {
    return value != nullptr && value->is_object() && FitEntries(tree, source, *value);
  }
  Arena arena;
  const auto wanted = Merger(source, arena).Build(tree);
  return !wanted || (value != nullptr && Equal(*value, *wanted));
}

/// Whether a reference is in the tree.
bool HasReference(const Node& tree) {
  return tree.kind == Node::Kind::kReference || std::ranges::any_of(tree.below, HasReference);
}

/// What is wrong with a tree, and where.
struct TreeError {
  std::string pointer;  ///< JSON Pointer of the key in the text
  std::string key;      ///< the same for people, keys as they are written: "spec.[labels]"
  std::string message;
};

/// Where a tree stands in its document, which errors name: "/spec/tree" and "spec.tree"; empty for
/// the document itself.
struct TreePlace {
  std::string pointer, key;
};

constexpr std::size_t kDeepestTree = 200;

/// What a key as it is written means.
struct Key {
  std::string name;
  bool replaces = false;
};

// How many backslashes `text` begins with.
std::size_t CountBackslashes(std::string_view text) {
  return std::min(text.find_first_not_of('\\'), text.size());
}

Key ReadKey(std::string_view text) {
  const std::size_t escapes = CountBackslashes(text);
  const bool is_open = text.substr(escapes).starts_with('[');
  if (!is_open || !text.ends_with(']')) return {std::string(text)};
  if (escapes == 0) return {std::string(text.substr(1, text.size() - 2)), true};
  const std::size_t last = text.size() - 1;
  std::string name(text.substr(1));
  if (last > 0 && text[last - 1] == '\\') name.erase(last - 2, 1);
  return {std::move(name)};
}

bool IsEscapedReference(std::string_view text) {
  const std::size_t escapes = CountBackslashes(text);
  return escapes > 0 && LooksLikeReference(text.substr(escapes));
}

/// Thrown to leave the recursion.
struct Refused {
  TreeError error;
};

class TreeReader {
 public:
  explicit TreeReader(const TreePlace& place) : pointers_{place.pointer}, keys_{place.key} {}

  Node ReadRoot(const Value& value) {
    if (!value.is_object()) Refuse("a mutation tree is a map, shaped like the object");
    return Read(value);
  }

 private:
  [[noreturn]] void Refuse(std::string message) const {
    throw Refused{{pointers_.back(), keys_.back(), std::move(message)}};
  }

  // A value that is not null.
  Node Read(const Value& value) {
    if (pointers_.size() > kDeepestTree) Refuse("is nested deeper than 200 levels");
    switch (value.type()) {
      case json::Type::kObject:
        return ReadMap(value);
      case json::Type::kArray:
        return ReadList(value);
      case json::Type::kString:
        return ReadText(value);
      case json::Type::kNull:
      case json::Type::kBool:
      case json::Type::kNumber:
        break;
    }
    return {.kind = Node::Kind::kValue, .value = value};
  }

  Node ReadText(const Value& value) const {
    const std::string_view text = value.text();
    if (LooksLikeReference(text)) return ReadReference(text);
    Node node{.kind = Node::Kind::kValue, .value = value};
    if (IsEscapedReference(text)) node.value = Value::String(text.substr(1));
    return node;
  }

  Node ReadReference(std::string_view text) const {
    auto reference = Reference::Parse(text);
    if (!reference) {
      Refuse(go::GoQuote(text) + " is no path into the object: " + reference.error() +
             "; for the text write \\" + std::string(text));
    }
    return {.kind = Node::Kind::kReference, .reference = *std::move(reference)};
  }

  Node ReadList(const Value& value) {
    Node list{.kind = Node::Kind::kList};
    for (std::size_t i = 0; i < value.size(); ++i) {
      Enter(std::to_string(i), "[" + std::to_string(i) + "]");
      list.below.push_back(Read(value.elements()[i]));
      Leave();
    }
    return list;
  }

  Node ReadMap(const Value& value) {
    Node map{.kind = Node::Kind::kMap};
    for (const json::Member& member : value.members()) {
      const std::string_view text = member.key.text();
      Enter(text, (keys_.back().empty() ? "" : ".") + std::string(text));
      map.below.push_back(ReadEntry(text, member.value));
      Leave();
    }
    RefuseTwice(map, value);
    return map;
  }

  Node ReadEntry(std::string_view text, const Value& value) {
    Key key = ReadKey(text);
    if (key.replaces && key.name.empty()) Refuse("names no key in its brackets");
    Node entry = value.is_null() ? Node() : Read(value);
    entry.name = std::move(key.name);
    entry.replaces = key.replaces;
    return entry;
  }

  void RefuseTwice(const Node& map, const Value& value) {
    std::vector<std::pair<std::string_view, std::size_t>> names;
    for (std::size_t i = 0; i < map.below.size(); ++i) names.emplace_back(map.below[i].name, i);
    std::ranges::sort(names);
    const auto is_same = [](const auto& a, const auto& b) { return a.first == b.first; };
    const auto twice = std::ranges::adjacent_find(names, is_same);
    if (twice == names.end()) return;
    const auto written = [&](std::size_t i) { return value.members()[i].key.text(); };
    const std::size_t first = twice->second, second = std::next(twice)->second;
    Enter(written(second), (keys_.back().empty() ? "" : ".") + std::string(written(second)));
    Refuse("is the same key as " + std::string(written(first)) +
           "; use one of them, or two documents");
  }

  void Enter(std::string_view token, const std::string& key) {
    pointers_.push_back(pointers_.back());
    json::AppendPointerToken(pointers_.back(), token);
    keys_.push_back(keys_.back() + key);
  }

  void Leave() {
    pointers_.pop_back();
    keys_.pop_back();
  }

  std::vector<std::string> pointers_, keys_;  // of the values that are being read
};

/// Reads `value` as a mutation tree, a map. It must outlive the result.
///
/// A key is what it is written as, but for [name], by which the value is replaced as a whole;
/// \[name\] is the key "[name]", and of more backslashes, each before both brackets, one is taken.
/// A text in parentheses is a reference; with backslashes before it one is taken, and it is a text.
base::Result<Node, TreeError> ReadTree(const Value& value, const TreePlace& place) {
  try {
    return TreeReader(place).ReadRoot(value);
  } catch (Refused& refused) {
    return base::Unexpected(std::move(refused.error));
  }
}

constexpr std::string_view kGroup = "kubectl-prune/";
constexpr std::string_view kApiVersion = "kubectl-prune/v1alpha1";
constexpr std::string_view kKind = "Mutation";

// Of ObjectMeta (apimachinery pkg/apis/meta/v1), what a client cannot change.
constexpr std::array<std::string_view, 9> kSetByServer = {
    "uid",      "resourceVersion",   "generation",    "creationTimestamp",         "generateName",
    "selfLink", "deletionTimestamp", "managedFields", "deletionGracePeriodSeconds"};

/// Which objects a tree is for; absent: whatever it is.
struct Limits {
  std::optional<std::string> api_version, kind, name, namespace_;
};

std::size_t LineOf(std::uint64_t line) { return static_cast<std::size_t>(line); }

bool IsAbsentOr(const std::optional<std::string>& wanted, std::string_view text) {
  return !wanted || *wanted == text;
}

}  // namespace

struct Mutation::TreeDocument {
  std::shared_ptr<const json::Document> text;  // that the trees borrow from
  Limits limits;
  std::optional<Node> match;
  Node tree;
  bool has_references = false;
};

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
    if (is_taken) {
      mutation_.documents_.push_back(std::make_shared<const TreeDocument>(std::move(document)));
    }
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
    const Value& spec = root.At("spec");
    const Value* tree = spec.Find("tree");
    if (tree == nullptr) return Refuse("/spec", "spec", "a Mutation has a map spec.tree");
    for (const json::Member& member : spec.members()) {
      const std::string_view name = member.key.text();
      if (name != "tree" && name != "match") return RefuseUnknown("/spec", "spec.", name);
    }
    return TakeMatch(spec.Find("match"), document) &&
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
  for (const auto& document : documents_) {
    if (!IsFor(*document, result)) continue;
    const Value source =
        document->has_references ? json::CopyForChange(result, arena) : Value::Object();
    Merge(document->tree, source, result, arena);
  }
  return result;
}

bool Mutation::IsFor(const TreeDocument& document, const Value& object) {
  const Value& metadata = object.At("metadata");
  const Limits& limits = document.limits;
  return IsAbsentOr(limits.api_version, object.FindText("apiVersion")) &&
         IsAbsentOr(limits.kind, object.FindText("kind")) &&
         IsAbsentOr(limits.name, metadata.FindText("name")) &&
         IsAbsentOr(limits.namespace_, metadata.FindText("namespace")) &&
         (!document.match || Fits(*document.match, object, &object));
}

bool Mutation::Names(std::string_view member, std::string_view kind) const {
  return std::ranges::any_of(documents_, [=](const auto& document) {
    return IsAbsentOr(document->limits.kind, kind) &&
           std::ranges::any_of(document->tree.below,
                               [member](const Node& entry) { return entry.name == member; });
  });
}

}  // namespace kube::mutation
