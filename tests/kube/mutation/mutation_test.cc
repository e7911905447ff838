#include "kube/mutation/mutation.h"

#include <catch2/catch.hpp>
#include <string>

namespace kube::mutation {
namespace mutation_test {

using json::Document;

Mutation Read(const std::string& trees) {
  auto mutation = Mutation::Parse(trees);
  if (!mutation) FAIL(mutation.error().key + ": " + mutation.error().message);
  return *std::move(mutation);
}

std::string Apply(const std::string& trees, const std::string& object) {
  const Mutation mutation = Read(trees);
  Document document;
  REQUIRE_FALSE(document.Parse(object));
  json::Arena arena;
  const std::string result = json::Print(mutation.Apply(document.root(), arena));
  Document before;
  REQUIRE_FALSE(before.Parse(object));
  CHECK(json::Equal(document.root(), before.root()));  // stays as it is
  return result;
}

std::string Error(const std::string& trees) {
  const auto mutation = Mutation::Parse(trees);
  if (mutation) return "";
  const ParseError& error = mutation.error();
  return std::to_string(error.line) + ": " + error.key + ": " + error.message;
}

struct Vector {
  const char* what;
  const char* trees;
  const char* object;
  const char* result;
};

// Of the proposal (FIELD.md 5.4), in words of our own.
constexpr Vector kVectors[] = {
    {"nothing", "{}", R"({"a":1})", R"({"a":1})"},
    {"no document", "# nothing\n", R"({"a":1})", R"({"a":1})"},
    {"null removes a key", "spec: {old: null}", R"({"spec":{"new":1,"old":{"x":1}}})",
     R"({"spec":{"new":1}})"},
    {"null of what is not there", "spec: {old: null}", R"({"spec":{"a":1}})",
     R"({"spec":{"a":1}})"},
    {"null below what is not there", "spec: {deep: {old: null}}", R"({"a":1})",
     R"({"a":1,"spec":{"deep":{}}})"},
    {"a new leaf", "spec: {mode: fast}", R"({"spec":{"a":1}})",
     R"({"spec":{"a":1,"mode":"fast"}})"},
    {"a new map", "metadata: {labels: {team: a}}", R"({"metadata":{}})",
     R"({"metadata":{"labels":{"team":"a"}}})"},
    {"an empty map is new, too", "spec: {emptyDir: {}}", R"({"spec":{}})",
     R"({"spec":{"emptyDir":{}}})"},
    {"maps are merged by key", "metadata: {labels: {b: two, c: three}}",
     R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
     R"({"metadata":{"labels":{"a":"1","b":"two","c":"three"}}})"},
    {"a leaf is replaced", "spec: {replicas: 3}", R"({"spec":{"replicas":1}})",
     R"({"spec":{"replicas":3}})"},
    {"by one of another type", "spec: {replicas: '3'}", R"({"spec":{"replicas":1}})",
     R"({"spec":{"replicas":"3"}})"},
    {"a list is replaced as a whole", "spec: {args: [x]}", R"({"spec":{"args":["a","b"]}})",
     R"({"spec":{"args":["x"]}})"},
    {"a map takes the place of a scalar", "spec: {store: {size: 1}}", R"({"spec":{"store":"big"}})",
     R"({"spec":{"store":{"size":1}}})"},
    {"a scalar takes the place of a map", "spec: {store: big}", R"({"spec":{"store":{"size":1}}})",
     R"({"spec":{"store":"big"}})"},
    {"a map is replaced in two documents", "spec: {sel: null}\n---\nspec: {sel: {b: 2}}\n",
     R"({"spec":{"sel":{"a":1}}})", R"({"spec":{"sel":{"b":2}}})"},
    {"and the other way round it is gone", "spec: {sel: {b: 2}}\n---\nspec: {sel: null}\n",
     R"({"spec":{"sel":{"a":1}}})", R"({"spec":{}})"},
    {"a map is replaced by its key in brackets", "spec: {'[sel]': {b: 2}}",
     R"({"spec":{"sel":{"a":1}}})", R"({"spec":{"sel":{"b":2}}})"},
    {"as the proposal writes it", "spec:\n  [sel]:\n    b: 2\n", R"({"spec":{"sel":{"a":1}}})",
     R"({"spec":{"sel":{"b":2}}})"},
    {"[key] of what is not there", "'[spec]': {b: 2}", R"({"a":1})", R"({"a":1,"spec":{"b":2}})"},
    {"[key] with null removes", "'[spec]': null", R"({"a":1,"spec":{}})", R"({"a":1})"},
    {"null in what is new is left out", "'[spec]': {a: null, b: {c: null}}", R"({"spec":{"a":1}})",
     R"({"spec":{"b":{}}})"},
    {"a key with brackets", R"('\[labels\]': 1)", R"({"labels":2})",
     R"({"[labels]":1,"labels":2})"},
    {"a key with brackets and backslashes", R"('\\[x\\]': 1)", "{}", R"({"\\[x\\]":1})"},
    {"one bracket means nothing", "'[a': 1\n'b]': 2", "{}", R"({"[a":1,"b]":2})"},
    {"a null in a list is one", "spec: {l: [1, null, {a: null, b: 1}]}", R"({"spec":{}})",
     R"({"spec":{"l":[1,null,{"b":1}]}})"},
    {"a value is moved", "spec: {mode: (spec.legacyMode), legacyMode: null}",
     R"({"spec":{"legacyMode":"slow"}})", R"({"spec":{"mode":"slow"}})"},
    {"moved in any order of keys", "spec: {legacyMode: null, mode: (.spec.legacyMode)}",
     R"({"spec":{"legacyMode":"slow"}})", R"({"spec":{"mode":"slow"}})"},
    {"what is missing is left out", "spec: {mode: (spec.legacyMode), l: [1, (spec.no), 2]}",
     R"({"spec":{"mode":"fast"}})", R"({"spec":{"l":[1,2],"mode":"fast"}})"},
    {"two values change places", "a: (b)\nb: (a)", R"({"a":1,"b":2})", R"({"a":2,"b":1})"},
    {"references of a later document see what an earlier one did", "a: 5\n---\nb: (a)\n",
     R"({"a":1})", R"({"a":5,"b":5})"},
    {"an element, and a quoted name",
     "first: (spec.ports[1].port)\nteam: (metadata.labels['a.b/c'])\nnone: (spec.ports[2].port)",
     R"({"metadata":{"labels":{"a.b/c":"x"}},"spec":{"ports":[{"port":1},{"port":2}]}})",
     R"({"first":2,"metadata":{"labels":{"a.b/c":"x"}},"spec":{"ports":[{"port":1},{"port":2}]},"team":"x"})"},
    {"a name with a blank and a quote", R"(a: (m['x y\'z']))", R"({"m":{"x y'z":1}})",
     R"({"a":1,"m":{"x y'z":1}})"},
    {"a map that is referred to is merged", "new: (old)",
     R"({"new":{"a":1,"b":{"x":1}},"old":{"b":{"y":null}}})",
     R"({"new":{"a":1,"b":{"x":1,"y":null}},"old":{"b":{"y":null}}})"},
    {"or replaces", "'[new]': (old)", R"({"new":{"a":1},"old":{"b":2}})",
     R"({"new":{"b":2},"old":{"b":2}})"},
    {"what is referred to twice is two values", "a: (o)\nb: (o)\n---\na: {x: 2}\n",
     R"({"o":{"x":1}})", R"({"a":{"x":2},"b":{"x":1},"o":{"x":1}})"},
    {"a text in parentheses", R"(a: \(spec.x))", R"({"spec":{"x":1}})",
     R"_({"a":"(spec.x)","spec":{"x":1}})_"},
    {"and with a backslash", R"(a: \\(c))", "{}", R"_({"a":"\\(c)"})_"},
    {"a text with parentheses in it", "a: (c) 2020", "{}", R"({"a":"(c) 2020"})"},
    {"numbers as YAML has them", "a: 010\nb: 1e3\nc: yes", "{}", R"({"a":8,"b":1000,"c":true})"},
    {"JSON", R"({"a": {"b": null}, "c": 1})", R"({"a":{"b":1}})", R"({"a":{},"c":1})"},
    {"for a kind", "kind: Widget\na: 1", R"({"kind":"Widget"})", R"({"a":1,"kind":"Widget"})"},
    {"not for another kind", "kind: Widget\na: 1", R"({"kind":"Gadget"})", R"({"kind":"Gadget"})"},
    {"not for another version", "apiVersion: g/v1\na: 1", R"({"apiVersion":"g/v2"})",
     R"({"apiVersion":"g/v2"})"},
    {"for one object", "metadata: {name: x, namespace: ns}\na: 1",
     R"({"metadata":{"name":"x","namespace":"ns"}})",
     R"({"a":1,"metadata":{"name":"x","namespace":"ns"}})"},
    {"not for another name", "metadata: {name: x}\na: 1", R"({"metadata":{"name":"y"}})",
     R"({"metadata":{"name":"y"}})"},
};

TEST_CASE("Mutation trees do what their rules say", "[kube][mutation]") {
  for (const Vector& vector : kVectors) {
    CAPTURE(vector.what, vector.trees);
    Document wanted;
    REQUIRE_FALSE(wanted.Parse(vector.result));
    CHECK(Apply(vector.trees, vector.object) == json::Print(wanted.root()));
  }
}

std::string Wrapped(const std::string& match) {
  return "apiVersion: kubectl-prune/v1alpha1\nkind: Mutation\nmetadata: {name: x}\nspec:\n  "
         "match: " +
         match + "\n  tree: {done: true}\n";
}

TEST_CASE("A Mutation is for objects that fit its pattern", "[kube][mutation]") {
  const std::string object =
      R"({"kind":"W","spec":{"a":1,"l":[1,{"x":2}],"m":{"p":1,"q":2},"none":null,"same":1}})";
  const auto fits = [&object](const std::string& match) {
    return Apply(Wrapped(match), object).find("\"done\":true") != std::string::npos;
  };
  CHECK(fits("{}"));
  CHECK(fits("{kind: W}"));
  CHECK_FALSE(fits("{kind: V}"));
  CHECK(fits("{spec: {a: 1.0}}"));
  CHECK_FALSE(fits("{spec: {a: '1'}}"));
  CHECK(fits("{spec: {m: {p: 1}}}"));
  CHECK_FALSE(fits("{spec: {m: {p: 1, r: 1}}}"));
  CHECK(fits("{spec: {m: {}}}"));
  CHECK_FALSE(fits("{spec: {a: {}}}"));
  CHECK_FALSE(fits("{spec: {'[m]': {p: 1}}}"));
  CHECK(fits("{spec: {'[m]': {q: 2, p: 1}}}"));
  CHECK(fits("{spec: {l: [1, {x: 2}]}}"));
  CHECK_FALSE(fits("{spec: {l: [1]}}"));
  CHECK(fits("{spec: {gone: null, none: null}}"));
  CHECK_FALSE(fits("{spec: {a: null}}"));
  CHECK(fits("{spec: {same: (spec.a)}}"));
  CHECK_FALSE(fits("{spec: {m: (spec.a)}}"));
  CHECK(fits("{spec: {m: (spec.nothing)}}"));
}

TEST_CASE("What is no mutation is refused by line and key", "[kube][mutation]") {
  CHECK(Error("spec: [") == "1: : did not find expected node content");
  CHECK(Error("a: 1\n---\n- b\n") == "3: : a mutation tree is a map, shaped like the object");
  CHECK(Error("text") == "1: : a mutation tree is a map, shaped like the object");
  CHECK(Error("spec:\n  labels: {}\n  \"[labels]\": {}\n") ==
        "3: spec.[labels]: is the same key as labels; use one of them, or two documents");
  CHECK(Error("spec:\n  labels: {}\n  [labels]: {}\n") ==
        "3: spec.[labels]: is the same key as labels; use one of them, or two documents");
  CHECK(Error("spec:\n  [a, b]: {}\n") ==
        "2: : invalid map key: a key in brackets is one name, without quotes");
  CHECK(Error("spec:\n  a: 1\n  b: 2\n  a: 3\n") == "4: spec.a: is there twice");
  CHECK(Error("spec:\n  x: 1\n  y: 2\n") == "3: y: is read as true; quote it");
  CHECK(Error("spec:\n  '[]': 1\n") == "2: spec.[]: names no key in its brackets");
  CHECK(Error("\nspec:\n  - a: (b c\n  - x: (b..c)\n") ==
        "4: spec[1].x: \"(b..c)\" is no path into the object: a name in it is empty; for the text "
        "write \\(b..c)");
  CHECK(Error("a: (see the manual)") ==
        "1: a: \"(see the manual)\" is no path into the object: a name with blanks has to be "
        "quoted, as ['a b']; for the text write \\(see the manual)");
  CHECK(Error("a: (spec.*)") ==
        "1: a: \"(spec.*)\" is no path into the object: it does not lead to one value; for the "
        "text write \\(spec.*)");
  CHECK(Error("a: (spec.ports[*].x)") ==
        "1: a: \"(spec.ports[*].x)\" is no path into the object: it does not lead to one value; "
        "for the text write \\(spec.ports[*].x)");
  CHECK(Error("metadata:\n  uid: 1\n") ==
        "2: metadata.uid: is what only the server sets; leave it out");
  CHECK(Error("'[metadata]': {}") == "1: [metadata]: can only be a map that is merged");
  CHECK(Error("metadata: null") == "1: metadata: can only be a map that is merged");
  CHECK(Error("kind: null") ==
        "1: kind: says which objects the tree is for: it has to be a text, and cannot be changed");
  CHECK(Error("metadata:\n  name: (spec.name)\n") ==
        "2: metadata.name: says which objects the tree is for: it has to be a text, and cannot be "
        "changed");
  CHECK(Error("apiVersion: kubectl-prune/v1\nkind: Mutation\n") ==
        "1: apiVersion: a Mutation has apiVersion: kubectl-prune/v1alpha1 and kind: Mutation");
  CHECK(Error("kind: Mutation\nspec: {tree: {}}\n") ==
        "1: apiVersion: a Mutation has apiVersion: kubectl-prune/v1alpha1 and kind: Mutation");
  CHECK(
      Error("apiVersion: kubectl-prune/v1alpha1\nkind: Mutation\nspec: {tree: {}}\nmatch: {}\n") ==
      "4: match: is unknown; a Mutation has spec.match and spec.tree");
  CHECK(Error("{\"spec\": {\"a\": 1,\n  \"a\": 2}}") == "2: spec.a: is there twice");
  CHECK(
      Error(
          "apiVersion: kubectl-prune/v1alpha1\nkind: Mutation\nspec:\n  trees: {}\n  tree: {}\n") ==
      "4: spec.trees: is unknown; a Mutation has spec.match and spec.tree");
  CHECK(Error("apiVersion: kubectl-prune/v1alpha1\nkind: Mutation\nspec: {match: {}}\n") ==
        "3: spec: a Mutation has a map spec.tree");
  CHECK(Error("apiVersion: kubectl-prune/v1alpha1\nkind: Mutation\nspec:\n  tree:\n    metadata:\n"
              "      managedFields: []\n") ==
        "6: spec.tree.metadata.managedFields: is what only the server sets; leave it out");
  CHECK(Error("{\"a\": 1") == "1: : unexpected end of JSON input");
}

TEST_CASE("A tree that nobody has written is refused", "[kube][mutation]") {
  std::string deep = "x: ";
  for (int i = 0; i < 300; ++i) deep += "{a: ";
  const std::string error = Error(deep + "1" + std::string(300, '}'));
  CHECK(error.substr(error.rfind(':')) == ": is nested deeper than 200 levels");
}

TEST_CASE("It is known which members of the root a tree names", "[kube][mutation]") {
  CHECK(Read("status: {a: 1}").Names("status", "W"));
  CHECK(Read("kind: W\nstatus: {a: 1}").Names("status", "W"));
  CHECK_FALSE(Read("kind: V\nstatus: {a: 1}").Names("status", "W"));
  CHECK(Read("a: 1\n---\n'[status]': {}").Names("status", "W"));
  CHECK_FALSE(Read("spec: {status: 1}").Names("status", "W"));
  CHECK(Read("").empty());
}

TEST_CASE("Mutations of several files come one after the other", "[kube][mutation]") {
  Mutation both = Read("a: {x: 1}");
  both.Append(Read("a: null"));
  Document object;
  REQUIRE_FALSE(object.Parse("{}"));
  json::Arena arena;
  CHECK(json::Print(both.Apply(object.root(), arena)) == "{}");
}

}  // namespace mutation_test
}  // namespace kube::mutation
