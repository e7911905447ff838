#include "migrate/check/proof.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <string>

#include "kube/base/result.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_schema.h"

namespace migrate::check {
namespace proof_test {

using report::ObjectClass;
using test_support::TempFolder;

const std::string kUid = "0c5b7a0e-crd";
const std::string kHere = "https://10.0.0.1 sha256:ab";

std::string Quoted(const std::string& text) {
  return kube::json::Print(kube::json::Value::String(text));
}

kube::crd::Crd Crd(std::int64_t generation = 4, const std::string& storage = "v1",
                   const std::string& annotation = "", const std::string& more = "",
                   const std::string& uid = kUid) {
  const std::string annotations =
      annotation.empty() ? "" : R"(,"annotations":{"kubectl-prune/verified":)" + annotation + "}";
  auto crd = support::ReadCrdText(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":)"
      R"({"name":"widgets.demo.example.com","uid":")" +
      uid + R"(","generation":)" + std::to_string(generation) + annotations +
      R"(},"spec":{"group":"demo.example.com","scope":"Namespaced",)" + more +
      R"("names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":")" + storage +
      R"(","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  REQUIRE(crd);
  return *std::move(crd);
}

/// A pass that has found u1 unchanged, that u3 was gone, and u5 in the place of u2.
std::vector<std::uint64_t> Seen(const TempFolder& folder) {
  cluster::Spool pass(folder.path(), "verify1", "test");
  for (const char* number : {"1", "2", "3"}) {
    pass.Add({"shop", std::string("w") + number, std::string("u") + number, "9", 1});
  }
  pass.EndPage("");
  pass.Answer(1, {.object_class = ObjectClass::kRewritten, .uid = "u5", .resource_version = "60"});
  pass.Answer(0, {.object_class = ObjectClass::kUnchanged, .resource_version = "9"});
  pass.Answer(2, {.object_class = ObjectClass::kGone, .code = 404});
  pass.Flush();
  return SeenBy(pass);
}

Proof Made(const TempFolder& folder) {
  return {.crd_uid = kUid,
          .generation = 4,
          .storage_version = "v1",
          .address = kHere,
          .schema = "",
          .pruned_since = 70,
          .verified = {"2026-11-23T10:00:00Z", 2},
          .seen = Seen(folder)};
}

bool Covers(const ObjectProof& proof, const std::string& uid, const std::string& version) {
  kube::json::Document object;
  REQUIRE_FALSE(object.Parse(R"({"metadata":{"uid":")" + uid + R"(","resourceVersion":")" +
                             version + "\"}}"));
  return proof.covers(object.root());
}

TEST_CASE("A proof that was saved covers what its pass has seen, and what was written behind it",
          "[migrate][proof]") {
  const TempFolder folder;
  Save(Made(folder), folder.path());
  const auto found = Find(Crd(), folder.path(), kHere);
  REQUIRE(found);
  REQUIRE(found->verified);
  CHECK(found->verified->Words() == "verified 2026-11-23 by a pass over 2 objects");
  CHECK(Covers(*found, "u1", "9"));
  CHECK(Covers(*found, "u5", "60"));
  CHECK(Covers(*found, "u4", "71"));
  SECTION("but neither what it has not seen, nor what was put back since") {
    CHECK_FALSE(Covers(*found, "u4", "70"));
    CHECK_FALSE(Covers(*found, "u2", "9"));
    CHECK_FALSE(Covers(*found, "u2", "60"));
    CHECK_FALSE(Covers(*found, "u3", "9"));
    CHECK_FALSE(Covers(*found, "u4", ""));
    CHECK_FALSE(Covers(*found, "u4", "soon"));
  }
}

TEST_CASE("A proof ends with each change of the CRD's spec", "[migrate][proof]") {
  const TempFolder folder;
  Save(Made(folder), folder.path());
  CHECK(Find(Crd(4), folder.path(), kHere));
  CHECK_FALSE(Find(Crd(5), folder.path(), kHere));
  CHECK_FALSE(Find(Crd(4, "v2"), folder.path(), kHere));
  CHECK_FALSE(Find(Crd(4, "v1", "", R"("preserveUnknownFields":true,)"), folder.path(), kHere));
  CHECK_FALSE(Find(Crd(4, "v1", "", "", "another"), folder.path(), kHere));
}

TEST_CASE("Who has no state knows a proof by the CRD's annotation", "[migrate][proof]") {
  const TempFolder folder;
  const std::string patch = AnnotationPatch(Made(folder));
  kube::json::Document document;
  REQUIRE_FALSE(document.Parse(patch));
  const std::string text(
      document.root().Find("metadata")->Find("annotations")->FindText(kAnnotation));
  const auto found = Find(Crd(4, "v1", Quoted(text)), {}, kHere);
  REQUIRE(found);
  REQUIRE(found->verified);
  CHECK(found->is_somebodys_word);
  CHECK_FALSE(Covers(*found, "u1", "9"));
  CHECK_FALSE(Covers(*found, "u4", "71"));
  CHECK_FALSE(Find(Crd(5, "v1", Quoted(text)), {}, kHere));
}

TEST_CASE("A proof holds in its own cluster alone", "[migrate][proof]") {
  const TempFolder folder;
  Save(Made(folder), folder.path());
  CHECK_FALSE(Find(Crd(), folder.path(), "https://10.0.0.2 sha256:ab"));
  CHECK_FALSE(Find(Crd(), folder.path(), "https://10.0.0.1 sha256:cd"));
  CHECK_FALSE(Find(Crd(), folder.path(), ""));
}

TEST_CASE("Of objects that were not changed a proof outlives the CRD's spec", "[migrate][proof]") {
  const TempFolder folder;
  Proof proof = Made(folder);
  proof.schema = R"({"type":"object","properties":{"spec":{"type":"object","properties":{
      "a":{"type":"string"},"list":{"type":"array","items":{"type":"object","properties":{
      "b":{"type":"string"}}}},"map":{"type":"object","additionalProperties":{"type":"string"}}}}}})";
  Save(proof, folder.path());
  const auto found = Find(Crd(5), folder.path(), kHere);
  REQUIRE(found);
  CHECK_FALSE(found->verified);
  CHECK(Covers(*found, "u1", "9"));
  // Another schema pruned it as it was written.
  CHECK_FALSE(Covers(*found, "u4", "71"));
  CHECK(found->may_keep("spec.a"));
  CHECK(found->may_keep("spec.list[*].b"));
  CHECK(found->may_keep("spec.map.x"));
  CHECK_FALSE(found->may_keep("spec.b"));
  CHECK_FALSE(found->may_keep("spec.list[*].c"));
  CHECK_FALSE(Find(Crd(5, "v2"), folder.path(), kHere));
}

TEST_CASE("What is no proof proves nothing", "[migrate][proof]") {
  const TempFolder folder;
  Save(Made(folder), folder.path());
  const std::string file = "proofs/" + kUid;
  const std::string broken = GENERATE(as<std::string>(), "", "{}", "{}\n", "null\n", "torn");
  folder.Write(file, broken);
  CHECK_FALSE(Find(Crd(), folder.path(), kHere));
  CHECK_FALSE(Find(Crd(), folder.path() + "/nowhere", kHere));
  CHECK_FALSE(Find(Crd(), {}, kHere));
  CHECK_FALSE(Find(Crd(4, "v1", Quoted(broken)), {}, kHere));
}

TEST_CASE("A proof is private, and replaced by the next", "[migrate][proof]") {
  const TempFolder folder;
  Save(Made(folder), folder.path());
  Proof next = Made(folder);
  next.generation = 5;
  Save(next, folder.path());
  CHECK_FALSE(Find(Crd(4), folder.path(), kHere));
  CHECK(Find(Crd(5), folder.path(), kHere));
  struct stat status = {};
  REQUIRE(stat((folder.path() + "/proofs/" + kUid).c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  folder.Write("file", "");
  CHECK_THROWS_AS(Save(next, folder.path() + "/file"), kube::base::Error);
}

TEST_CASE("The time of a proof is told as the API tells times", "[migrate][proof]") {
  CHECK(TimeText(std::chrono::system_clock::time_point(std::chrono::seconds(1'795'000'000))) ==
        "2026-11-18T11:06:40Z");
}

}  // namespace proof_test
}  // namespace migrate::check
