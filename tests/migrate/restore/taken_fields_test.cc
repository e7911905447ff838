#include "migrate/restore/taken_fields.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "tests/migrate/restore/restore_texts.h"

namespace migrate::restore {
namespace taken_fields_test {

/// Three forms, and what comes of them.
struct Row {
  std::string what, backup, pruned, live, restored, taken{}, kept{}, conflicts{}, schema{};
};

void CheckRows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    DYNAMIC_SECTION(row.what) {
      const TextComparison comparison(row.backup, row.pruned, row.live, row.schema);
      CHECK(comparison.restored() == row.restored);
      CHECK(comparison.taken() == row.taken);
      CHECK(comparison.kept() == row.kept);
      CHECK(comparison.conflicts() == row.conflicts);
    }
  }
}

constexpr char kPorts[] =
    R"({"type":"object","properties":{"ports":{"type":"array","x-kubernetes-list-type":"map",)"
    R"("x-kubernetes-list-map-keys":["name","protocol"],"items":{"type":"object","properties":{)"
    R"("name":{"type":"string"},"protocol":{"type":"string","default":"TCP"},)"
    R"("proto":{"type":"string"}}}}}})";

TEST_CASE("What pruning took from objects comes back, and later writers win",
          "[migrate][taken_fields]") {
  CheckRows({
      {"a scalar", R"({"spec":{"a":1,"old":2}})", R"({"spec":{"a":1}})", R"({"spec":{"a":1}})",
       R"({"spec":{"a":1,"old":2}})", "spec.old"},
      {"a subtree, by its top", R"({"old":{"x":[1,{"y":2}]}})", "{}", R"({"spec":{"n":1}})",
       R"({"old":{"x":[1,{"y":2}]},"spec":{"n":1}})", "old"},
      {"what is back already", R"({"spec":{"old":2}})", R"({"spec":{}})", R"({"spec":{"old":2}})",
       ""},
      {"a number that is written otherwise", R"({"old":1.0})", "{}", R"({"old":1})", ""},
      {"what others have changed beside it", R"({"spec":{"a":1,"b":2,"old":3}})",
       R"({"spec":{"a":1,"b":2}})", R"({"spec":{"a":9,"c":4}})",
       R"({"spec":{"a":9,"c":4,"old":3}})", "spec.old"},
      {"what somebody has set anew", R"({"spec":{"old":2}})", R"({"spec":{}})",
       R"({"spec":{"old":5}})", "", "", "spec.old"},
      {"a part of it that somebody has set anew", R"({"m":{"a":1,"b":2,"c":3}})", "{}",
       R"({"m":{"b":9,"d":4}})", R"({"m":{"a":1,"b":9,"c":3,"d":4}})", "m.a m.c", "m.b"},
      {"an object that somebody has emptied", R"({"m":{"a":1,"b":{"c":2}},"n":{"d":{"e":1}}})",
       "{}", R"({"m":{},"n":{"d":{}}})", "", "", "m n.d"},
      {"an object that was empty", R"({"m":{}})", "{}", R"({"m":{}})", ""},
      {"another kind of value that somebody has set", R"({"m":{"a":1}})", "{}", R"({"m":"x"})", "",
       "", "m"},
      {"a list that was taken, and set anew", R"({"l":[1,2]})", "{}", R"({"l":[1]})", "", "", "l"},
      {"a parent that somebody has removed", R"({"spec":{"p":{"a":1,"old":2}}})",
       R"({"spec":{"p":{"a":1}}})", R"({"spec":{}})", "", "", "spec.p"},
      {"a parent of another kind", R"({"spec":{"p":{"a":1,"old":2}}})", R"({"spec":{"p":{"a":1}}})",
       R"({"spec":{"p":7}})", "", "", "spec.p"},
      {"a field that was not taken, and is removed", R"({"spec":{"a":1,"old":2}})",
       R"({"spec":{"a":1}})", R"({"spec":{}})", R"({"spec":{"old":2}})", "spec.old"},
      {"a null", R"({"spec":{"old":null}})", R"({"spec":{}})", R"({"spec":{}})",
       R"({"spec":{"old":null}})", "spec.old"},
      {"status", R"({"status":{"phase":"x","since":1}})", R"({"status":{"phase":"x"}})",
       R"({"status":{"phase":"y"}})", R"({"status":{"phase":"y","since":1}})", "status.since"},
      {"an embedded resource",
       R"({"t":{"apiVersion":"v1","kind":"P","metadata":{"name":"a"},"spec":{"x":1}}})",
       R"({"t":{"apiVersion":"v1","kind":"P","metadata":{"name":"a"}}})",
       R"({"t":{"apiVersion":"v1","kind":"P","metadata":{"name":"b"}}})",
       R"({"t":{"apiVersion":"v1","kind":"P","metadata":{"name":"b"},"spec":{"x":1}}})", "t.spec"},
      {"nothing of the metadata",
       R"({"apiVersion":"g/v1","kind":"A","metadata":{"name":"a","labels":{"x":"y"}}})",
       R"({"apiVersion":"g/v1","kind":"A","metadata":{"name":"a"}})",
       R"({"apiVersion":"g/v2","kind":"A","metadata":{"name":"a"}})", ""},
  });
}

TEST_CASE("A default that a read shows is no later writer's", "[migrate][taken_fields]") {
  const std::string schema =
      R"({"type":"object","properties":{"old":{"type":"boolean","default":false},)"
      R"("l":{"type":"array","items":{"type":"object","properties":{"n":{"default":1}}}}}})";
  CheckRows({
      {"the default", R"({"old":true})", "{}", R"({"old":false})", R"({"old":true})", "old", "", "",
       schema},
      {"another value", R"({"old":true})", "{}", R"({"old":"no"})", "", "", "old", "", schema},
      {"in the place of a null", R"({"l":[{"n":null,"o":2}]})", R"({"l":[{"n":null}]})",
       R"({"l":[{"n":1}]})", R"({"l":[{"n":1,"o":2}]})", "l[0].o", "", "", schema},
      {"in an element", R"({"l":[{"x":1,"o":2}]})", R"({"l":[{"x":1}]})",
       R"({"l":[{"x":1,"n":1}]})", R"({"l":[{"n":1,"o":2,"x":1}]})", "l[0].o", "", "", schema},
  });
}

std::string WithOwners(const std::string& fields, const std::string& entries) {
  return R"({"metadata":{"name":"a","managedFields":[)" + entries + "]}," + fields + "}";
}

std::string Entry(const std::string& manager, const std::string& operation, const std::string& time,
                  const std::string& fields) {
  return R"({"manager":")" + manager + R"(","operation":")" + operation + R"(","time":")" + time +
         R"(","fieldsType":"FieldsV1","fieldsV1":)" + fields + "}";
}

TEST_CASE("A default that somebody has set since the backup is a later writer's",
          "[migrate][taken_fields]") {
  const std::string schema =
      R"({"type":"object","properties":{"old":{"type":"boolean","default":false},"l":{"type":)"
      R"("array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"],"items":{)"
      R"("type":"object","properties":{"n":{"type":"string"},"o":{"type":"integer","default":1}}}}}})";
  const std::string then = "2026-11-01T00:00:00Z", since = "2026-11-02T00:00:00Z";
  const std::string of_old = R"({"f:old":{}})", of_other = R"({"f:x":{}})";
  const std::string of_element = R"({"f:l":{"k:{\"n\":\"b\"}":{".":{},"f:n":{},"f:o":{}}}})";
  const std::string list = R"("l":[{"n":"a","o":5},{"n":"b","o":6}])";
  const std::string left = R"("l":[{"n":"a"},{"n":"b"}])";
  const auto kept = [&](const std::string& backup, const std::string& entries_then,
                        const std::string& pruned, const std::string& live,
                        const std::string& entries_now) {
    const TextComparison comparison(WithOwners(backup, entries_then),
                                    WithOwners(pruned, entries_then), WithOwners(live, entries_now),
                                    schema);
    return comparison.kept() + "|" + comparison.taken();
  };
  const auto kept_old = [&](const std::string& entries_then, const std::string& entries_now) {
    return kept(R"("old":true)", entries_then, R"("x":1)", R"("x":1,"old":false)", entries_now);
  };
  SECTION("nobody owns it") {
    CHECK(kept_old(Entry("a", "Update", then, of_other), Entry("b", "Update", since, of_other)) ==
          "|old");
  }
  SECTION("somebody new owns it") {
    CHECK(kept_old(Entry("a", "Update", then, of_old), Entry("a", "Update", then, of_old) + "," +
                                                           Entry("b", "Update", since, of_old)) ==
          "old|");
    CHECK(kept_old(Entry("a", "Update", then, of_other), Entry("a", "Update", since, of_old)) ==
          "old|");
  }
  SECTION("an entry of then stays, and has a new time where its manager wrote something else") {
    CHECK(kept_old(Entry("a", "Update", then, of_old), Entry("a", "Update", since, of_old)) ==
          "|old");
  }
  SECTION("what is applied anew is meant") {
    CHECK(kept_old(Entry("a", "Apply", then, of_old), Entry("a", "Apply", then, of_old)) == "|old");
    CHECK(kept_old(Entry("a", "Apply", then, of_old), Entry("a", "Apply", since, of_old)) ==
          "old|");
  }
  SECTION("in an element") {
    CHECK(kept(list, Entry("a", "Update", then, of_other), left,
               R"("l":[{"n":"b","o":1},{"n":"a","o":1}])",
               Entry("b", "Update", since, of_element)) == "l[0].o|l[1].o");
  }
}

TEST_CASE("Elements belong together by their index where the rest of the list is as it was",
          "[migrate][taken_fields]") {
  const std::string backup = R"({"l":[{"a":1,"o":1},{"a":2},{"a":3,"o":3}]})";
  const std::string pruned = R"({"l":[{"a":1},{"a":2},{"a":3}]})";
  CheckRows({
      {"as pruning left it", backup, pruned, pruned, backup, "l[0].o l[2].o"},
      {"some of it back", backup, pruned, R"({"l":[{"a":1},{"a":2},{"a":3,"o":3}]})", backup,
       "l[0].o"},
      {"some of it set anew", backup, pruned, R"({"l":[{"a":1,"o":9},{"a":2},{"a":3}]})", "", "",
       "", "l"},
      {"elements that pruning made alike, and somebody replaced",
       R"({"hooks":[{"cmd":"x","env":{"A":1}},{"cmd":"y","env":{"B":2}}]})", R"({"hooks":[{},{}]})",
       R"({"hooks":[{"cmd":"y"},{"cmd":"brand-new"}]})", "", "", "", "hooks"},
      {"elements that pruning made alike, of which one came back",
       R"({"hooks":[{"cmd":"x","env":{"A":1}},{"cmd":"y","env":{"B":2}}]})", R"({"hooks":[{},{}]})",
       R"({"hooks":[{"cmd":"x"},{}]})",
       R"({"hooks":[{"cmd":"x","env":{"A":1}},{"cmd":"y","env":{"B":2}}]})",
       "hooks[0].env hooks[1].cmd hooks[1].env"},
      {"a part of an object that pruning took", R"({"l":[{"m":{"x":1,"y":2}},{"m":{"x":3}}]})",
       R"({"l":[{},{}]})", R"({"l":[{"m":{"x":1}},{}]})", "", "", "", "l"},
      {"an element changed", backup, pruned, R"({"l":[{"a":1},{"a":9},{"a":3}]})", "", "", "", "l"},
      {"one more", backup, pruned, R"({"l":[{"a":1},{"a":2},{"a":3},{"a":4}]})", "", "", "", "l"},
      {"moved", backup, pruned, R"({"l":[{"a":3},{"a":2},{"a":1}]})", "", "", "", "l"},
      {"all removed", backup, pruned, R"({"l":[]})", "", "", "l"},
      {"one more, and all back", backup, pruned,
       R"({"l":[{"a":0},{"a":3,"o":3},{"a":1,"o":1},{"a":2}]})", ""},
      {"nothing was taken from a list that was changed", R"({"l":[{"a":1}],"o":1})",
       R"({"l":[{"a":1}]})", R"({"l":[{"a":2},{"a":3}]})", R"({"l":[{"a":2},{"a":3}],"o":1})", "o"},
      {"nulls that the server has dropped", R"({"l":[{"a":null,"o":1},{"a":2}]})",
       R"({"l":[{"a":null},{"a":2}]})", R"({"l":[{},{"a":2}]})", R"({"l":[{"o":1},{"a":2}]})",
       "l[0].o"},
      {"lists in lists", R"({"l":[[{"a":1,"o":1}],[{"a":2}]]})", R"({"l":[[{"a":1}],[{"a":2}]]})",
       R"({"l":[[{"a":1}],[{"a":2}]]})", R"({"l":[[{"a":1,"o":1}],[{"a":2}]]})", "l[0][0].o"},
      {"a list in an object of a list", R"({"l":[{"m":{"n":[{"o":1}]}}]})",
       R"({"l":[{"m":{"n":[{}]}}]})", R"({"l":[{"m":{"n":[{}]}}]})",
       R"({"l":[{"m":{"n":[{"o":1}]}}]})", "l[0].m.n[0].o"},
  });
}

TEST_CASE("Elements of a changed list belong together by the keys that the schema declares",
          "[migrate][taken_fields]") {
  const std::string backup =
      R"({"ports":[{"name":"a","proto":"x"},{"name":"b","proto":"y","protocol":"UDP"}]})";
  const std::string pruned = R"({"ports":[{"name":"a"},{"name":"b","protocol":"UDP"}]})";
  CheckRows({
      {"moved, and one more", backup, pruned,
       R"({"ports":[{"name":"b","protocol":"UDP"},{"name":"c"},{"name":"a","protocol":"TCP"}]})",
       R"({"ports":[{"name":"b","proto":"y","protocol":"UDP"},{"name":"c"},)"
       R"({"name":"a","proto":"x","protocol":"TCP"}]})",
       "ports[2].proto ports[0].proto", "", "", kPorts},
      {"one removed", backup, pruned, R"({"ports":[{"name":"b","protocol":"UDP"}]})",
       R"({"ports":[{"name":"b","proto":"y","protocol":"UDP"}]})", "ports[0].proto", "ports[0]", "",
       kPorts},
      {"two of the same keys", backup, pruned, R"({"ports":[{"name":"a"},{"name":"a"}]})", "", "",
       "", "ports", kPorts},
      {"without a word of the schema", backup, pruned,
       R"({"ports":[{"name":"b","protocol":"UDP"},{"name":"a"}]})", "", "", "", "ports"},
  });
}

TEST_CASE("Where it is not known what pruning took, it is what is missing",
          "[migrate][taken_fields]") {
  CheckRows({
      {"a member", R"({"spec":{"a":1,"o":2}})", "", R"({"spec":{"a":9}})",
       R"({"spec":{"a":9,"o":2}})", "spec.o"},
      {"a parent", R"({"spec":{"a":1,"o":2}})", "", R"({"x":1})", R"({"spec":{"a":1,"o":2},"x":1})",
       "spec"},
      {"elements by their index", R"({"l":[{"a":1,"o":1},{"a":2}]})", "",
       R"({"l":[{"a":1},{"a":2}]})", R"({"l":[{"a":1,"o":1},{"a":2}]})", "l[0].o"},
      {"a changed list without a sign of pruning", R"({"l":[{"a":1},{"a":2}]})", "",
       R"({"l":[{"a":1},{"b":7}]})", ""},
      {"a list from which one was removed", R"({"l":[{"a":1},{"a":2}]})", "", R"({"l":[{"a":2}]})",
       ""},
      {"a changed list with a sign of it", R"({"l":[{"a":1,"o":1},{"a":2}]})", "",
       R"({"l":[{"a":1},{"a":5}]})", "", "", "", "l"},
      {"a list of scalars", R"({"l":[1,2]})", "", R"({"l":[1]})", ""},
  });
}

TEST_CASE("Overwriting takes back what others have set anew, of what pruning took alone",
          "[migrate][taken_fields]") {
  const CompareOptions options{.fields = {}, .overwrite = true};
  const TextComparison comparison(R"({"spec":{"a":1,"old":2,"m":{"x":1}}})", R"({"spec":{"a":1}})",
                                  R"({"spec":{"a":7,"old":5,"m":{"x":2,"y":3}}})", "", options);
  CHECK(comparison.restored() == R"({"spec":{"a":7,"m":{"x":1,"y":3},"old":2}})");
  CHECK(comparison.taken() == "spec.old spec.m.x");
  CHECK(comparison.kept().empty());
}

TEST_CASE("Only fields that are chosen come back", "[migrate][taken_fields]") {
  const auto restored = [](const std::vector<std::string>& fields) {
    const CompareOptions options{.fields = *kube::meta::FieldChoice::Parse(fields)};
    return TextComparison(R"({"spec":{"o":1,"p":{"x":1,"y":2},"l":[{"o":1,"q":2}]}})",
                          R"({"spec":{"l":[{}]}})", R"({"spec":{"l":[{}]}})", "", options)
        .restored();
  };
  CHECK(restored({".spec.o"}) == R"({"spec":{"l":[{}],"o":1}})");
  CHECK(restored({"spec.p.x"}) == R"({"spec":{"l":[{}],"p":{"x":1}}})");
  CHECK(restored({"spec.l[*].o", "spec.p"}) == R"({"spec":{"l":[{"o":1}],"p":{"x":1,"y":2}}})");
  CHECK(restored({"spec.*.q"}).empty());
  CHECK(restored({"status"}).empty());
}

TEST_CASE("Of a list that was taken as a whole no part comes back", "[migrate][taken_fields]") {
  const CompareOptions options{.fields =
                                   *kube::meta::FieldChoice::Parse({"spec.l[*].o", "spec.a"})};
  const std::string backup = R"({"spec":{"a":1,"l":[{"o":1,"q":2}]}})";
  const TextComparison comparison(backup, R"({"spec":{}})", R"({"spec":{}})", "", options);
  CHECK(comparison.restored() == R"({"spec":{"a":1}})");
  REQUIRE(comparison.result().whole_lists.count == 1);
  CHECK(comparison.result().whole_lists.first[0] == "spec.l");
  const TextComparison unknown(backup, "", R"({"spec":{}})", "", options);
  CHECK(unknown.result().whole_lists.count == 1);
}

TEST_CASE("Of very many fields the first ones are named", "[migrate][taken_fields]") {
  std::string backup = "{";
  for (int i = 0; i < 1000; ++i) backup += (i ? ",\"f" : "\"f") + std::to_string(i) + "\":1";
  backup += ",\"" + std::string(100'000, 'k') + "\":2}";
  const TextComparison comparison(backup, "{}", "{}");
  CHECK(comparison.result().taken.count == 1001);
  CHECK(comparison.result().taken.first.size() == Paths::kMost);
  CHECK(comparison.result().taken.folded.size() == 1001);
  CHECK(TextComparison("{\"" + std::string(100'000, 'k') + "\":2}", "{}", "{}").taken().size() <
        2000);
}

TEST_CASE("Objects of the deepest nesting are compared", "[migrate][taken_fields]") {
  std::string deep, end;
  for (int i = 0; i < 2000; ++i) {
    deep += R"({"a":)";
    end += "}";
  }
  const TextComparison same(deep + R"({"x":1,"o":2})" + end, deep + R"({"x":1})" + end,
                            deep + R"({"x":1})" + end);
  CHECK(same.restored().empty());
  CHECK(same.result().conflicts.count == 1);
}

/// Objects by lot, and what pruning by a schema by lot would leave of them.
class Lot {
 public:
  explicit Lot(unsigned seed) : random_(seed) {}

  std::string Object(int depth) {
    std::string text = "{";
    for (const char* key : {"a", "b", "c", "d"}) {
      if (Draw(3) == 0) continue;
      text += (text.size() == 1 ? "\"" : ",\"") + std::string(key) + "\":" + Any(depth);
    }
    return text + "}";
  }
  /// A copy of `text`, an object, of which some members are gone.
  std::string Pruned(const std::string& text) {
    kube::json::Document document;
    REQUIRE(!document.Parse(text));
    Prune(document.root());
    return kube::json::Print(document.root());
  }
  /// The same, of which some scalars are others.
  std::string Written(const std::string& text) {
    kube::json::Document document;
    REQUIRE(!document.Parse(text));
    Write(document.root());
    return kube::json::Print(document.root());
  }

 private:
  unsigned Draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
  std::string Any(int depth) {
    if (depth == 0 || Draw(2) == 0) return std::to_string(Draw(5));
    if (Draw(2) == 0) return Object(depth - 1);
    std::string text = "[";
    for (unsigned i = Draw(4); i > 0; --i) text += Any(depth - 1) + (i > 1 ? "," : "");
    return text + "]";
  }
  void Prune(kube::json::Value& value) {
    for (const char* key : {"c", "d"}) {
      if (Draw(2) == 0) value.Erase(key);
    }
    for (kube::json::Member& member : value.members()) Prune(member.value);
    for (kube::json::Value& element : value.elements()) Prune(element);
  }
  void Write(kube::json::Value& value) {
    if (value.is_number() && Draw(4) == 0) value = kube::json::Value::Number("77");
    for (kube::json::Member& member : value.members()) Write(member.value);
  }

  std::mt19937 random_;
};

TEST_CASE("Whatever pruning took comes back where nobody has written since",
          "[migrate][taken_fields]") {
  Lot lot(7);
  for (int i = 0; i < 500; ++i) {
    const std::string backup = lot.Object(4), pruned = lot.Pruned(backup);
    CAPTURE(backup, pruned);
    kube::json::Document as_it_was;
    REQUIRE(!as_it_was.Parse(backup));
    const std::string whole = kube::json::Print(as_it_was.root());
    for (const std::string& base : {pruned, std::string()}) {
      const TextComparison comparison(backup, base, pruned);
      CHECK((comparison.restored().empty() ? pruned : comparison.restored()) == whole);
      CHECK(comparison.kept().empty());
      CHECK(comparison.conflicts().empty());
    }
    CHECK(TextComparison(backup, pruned, backup).restored().empty());
  }
}

TEST_CASE("What is restored once has nothing more to restore, and loses nothing of the live object",
          "[migrate][taken_fields]") {
  Lot lot(11);
  for (int i = 0; i < 500; ++i) {
    const std::string backup = lot.Object(4), pruned = lot.Pruned(backup);
    const std::string live = lot.Written(lot.Pruned(pruned));
    CAPTURE(backup, pruned, live);
    const TextComparison comparison(backup, pruned, live);
    if (!comparison.result().restored) continue;
    CHECK(Contains(*comparison.result().restored, comparison.live()));
    const TextComparison again(backup, pruned, comparison.restored());
    CHECK(again.restored().empty());
  }
}

}  // namespace taken_fields_test
}  // namespace migrate::restore
