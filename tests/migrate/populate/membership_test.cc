#include "migrate/populate/apply_set.h"
#include "migrate/populate/member_index.h"
#include "tests/migrate/populate/template_text.h"

namespace migrate::populate {
namespace membership_test {

using populate_test::ParseJson;

constexpr char kOurEntry[] =
    R"({"manager":"kubectl-prune-populate","operation":"Apply","fieldsV1":{"f:metadata":{
        "f:labels":{"f:policy/namespace-template-name":{}}}}})";

std::optional<Membership> Read(const std::string& labels, const std::string& entries,
                               const std::string& more = "") {
  return ReadMembership(ParseJson(R"({"metadata":{"labels":{)" + labels + R"(},"managedFields":[)" +
                                  entries + "]" + more + "}}")
                            .root());
}

std::string LabelsOf(const std::string& template_name, const std::string& id) {
  return R"("policy/namespace-template-name":")" + template_name +
         R"(","applyset.kubernetes.io/part-of":")" + id + "\"";
}

TEST_CASE("What was applied with the label of a template is its member", "[migrate][populate]") {
  const auto membership = Read(LabelsOf("t", TemplateApplySetId("t")), kOurEntry);
  REQUIRE(membership);
  CHECK(membership->template_name == "t");
  CHECK(membership->is_proven);
  CHECK_FALSE(membership->is_being_deleted);
}

TEST_CASE("What has no label of a template is none's", "[migrate][populate]") {
  CHECK_FALSE(Read("", kOurEntry));
  CHECK_FALSE(Read(R"("policy/namespace-template-name":"")", kOurEntry));
  CHECK_FALSE(ReadMembership(ParseJson("{}").root()));
  CHECK_FALSE(ReadMembership(ParseJson(R"({"metadata":{"labels":[]}})").root()));
}

TEST_CASE("What only looks like a member is not proven", "[migrate][populate]") {
  const std::string id = TemplateApplySetId("t");
  const auto is_proven = [](const std::optional<Membership>& membership) {
    REQUIRE(membership);
    return membership->is_proven;
  };
  CHECK_FALSE(is_proven(Read(R"("policy/namespace-template-name":"t")", kOurEntry)));
  CHECK_FALSE(is_proven(Read(LabelsOf("t", TemplateApplySetId("other")), kOurEntry)));
  CHECK_FALSE(is_proven(Read(LabelsOf("t", id), "")));
  for (const char* entry :
       {R"({"manager":"jo","operation":"Apply","fieldsV1":{"f:metadata":{"f:labels":{
            "f:policy/namespace-template-name":{}}}}})",
        R"({"manager":"kubectl-prune-populate","operation":"Update","fieldsV1":{"f:metadata":{
            "f:labels":{"f:policy/namespace-template-name":{}}}}})",
        R"({"manager":"kubectl-prune-populate","operation":"Apply","fieldsV1":{"f:spec":{}}})",
        R"({"manager":"kubectl-prune-populate","operation":"Apply"})"}) {
    CAPTURE(entry);
    CHECK_FALSE(is_proven(Read(LabelsOf("t", id), entry)));
  }
}

TEST_CASE("What is on its way out is told apart", "[migrate][populate]") {
  const auto membership = Read(LabelsOf("t", TemplateApplySetId("t")), kOurEntry,
                               R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")");
  REQUIRE(membership);
  CHECK(membership->is_being_deleted);
}

}  // namespace membership_test
}  // namespace migrate::populate
