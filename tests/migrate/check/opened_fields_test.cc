#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "migrate/check/weighed_changes.h"

namespace migrate::check {
namespace opened_fields_test {

using kube::schema::UnknownField;

class Opened : public kube::schema::UnknownFieldSink {
 public:
  explicit Opened(const std::string& path) : opened_(*kube::meta::FieldChoice::Parse({path})) {}

  void OnUnknownField(const UnknownField& field) override {
    OpenField(field, opened_, [this](const UnknownField& leaf) {
      rows.push_back(std::string(leaf.folded_path) + " = " + kube::json::Print(leaf.value));
      paths.push_back(leaf.Path());
    });
  }

  std::vector<std::string> rows, paths;

 private:
  kube::meta::FieldChoice opened_;
};

// Nothing is specified: spec is the unknown field.
Opened Open(const std::string& path) {
  kube::json::Document object;
  REQUIRE_FALSE(object.Parse(R"({"apiVersion": "a/v1", "kind": "A", "spec": {
      "list": [{"a": 1}, {"a": 2, "b": []}], "map": {"x.y": {"n": 1}, "z": {"n": 2}}, "text": "t"},
      "other": {"deep": true}})"));
  Opened opened(path);
  kube::schema::FindUnknownFields(object.root(), nullptr, true, opened);
  return opened;
}

using Rows = std::vector<std::string>;

TEST_CASE("A field that is opened is told by its leaves, others as they are",
          "[migrate][opened_fields]") {
  const Opened opened = Open(".spec");
  CHECK(opened.rows == Rows{"spec.list[*].a = 1", "spec.list[*].a = 2", "spec.list[*].b = []",
                            "spec.map['x.y'].n = 1", "spec.map.z.n = 2", "spec.text = \"t\"",
                            R"(other = {"deep":true})"});
  CHECK(opened.paths[1] == "spec.list[1].a");
}

TEST_CASE("Keys that * names are one row", "[migrate][opened_fields]") {
  CHECK(Open(".spec.map.*").rows[3] == "spec.map.*.n = 1");
  CHECK(Open(".spec.map.*").rows[4] == "spec.map.*.n = 2");
  CHECK(Open("spec.list[*].a").rows.size() == 7);
}

TEST_CASE("A path of nothing opens nothing", "[migrate][opened_fields]") {
  CHECK(Open("status").rows.size() == 2);
}

}  // namespace opened_fields_test
}  // namespace migrate::check
