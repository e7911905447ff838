#include <catch2/catch.hpp>
#include <string>

#include "migrate/guard/writer_tally.h"
#include "tests/kube/admission/review_text.h"

namespace migrate::guard {
namespace writer_test {

using kube::admission::admission_test::ReadText;
using kube::admission::admission_test::ReviewText;

std::string Entry(const std::string& manager, const std::string& time) {
  return R"({"manager":")" + manager + R"(","operation":"Update","time":")" + time +
         R"(","fieldsV1":{}})";
}

std::string Object(const std::string& entries) {
  return R"({"metadata":{"name":"a","managedFields":[)" + entries + R"(]},"spec":{}})";
}

std::string ManagerOf(const std::string& object, const std::string& old_object,
                      const std::string& options = "") {
  std::string text = ReviewText{.object = object, .old_object = old_object}.Print();
  if (!options.empty()) text.insert(text.find(R"("object":)"), R"("options":)" + options + ",");
  const ReadText read(text);
  const Writer writer = WriterOf(read.review);
  CHECK(writer.user == "admin");
  return std::string(writer.manager);
}

TEST_CASE("The field manager is what the request says, else whose entry is new",
          "[migrate][guard]") {
  const std::string helm = Entry("helm", "2026-01-01T00:00:00Z");
  const std::string edit = Entry("edit", "2026-01-02T00:00:00Z");
  const std::string later_helm = Entry("helm", "2026-01-03T00:00:00Z");
  CHECK(ManagerOf(Object(helm), "null", R"({"fieldManager":"argocd"})") == "argocd");
  CHECK(ManagerOf(Object(helm), "null", R"({"fieldManager":""})") == "helm");
  CHECK(ManagerOf(Object(helm), "null") == "helm");
  CHECK(ManagerOf(Object(helm + "," + edit), Object(helm)) == "edit");
  CHECK(ManagerOf(Object(later_helm + "," + edit), Object(helm + "," + edit)) == "helm");
  CHECK(ManagerOf(Object(later_helm + "," + edit), "null") == "helm");
  CHECK(ManagerOf(Object(helm), Object(helm)).empty());
  const std::string same_time = Entry("argocd", "2026-01-01T00:00:00Z");
  CHECK(ManagerOf(Object(helm + "," + same_time), "{}").empty());
  CHECK(ManagerOf(Object(helm + "," + same_time + "," + helm), "{}").empty());
  CHECK(ManagerOf(Object(helm + "," + same_time), Object(helm)) == "argocd");
  CHECK(ManagerOf(Object(helm + "," + same_time + "," + edit), "{}") == "edit");
  CHECK(ManagerOf(R"({"metadata":{}})", "null").empty());
  CHECK(ManagerOf("{}", "null", R"({"fieldManager":5})").empty());
}

TEST_CASE("A rewrite changes nothing", "[migrate][guard]") {
  const auto is_rewrite = [](const std::string& object, const std::string& old_object) {
    const ReadText read(ReviewText{.object = object, .old_object = old_object});
    return IsRewrite(read.review);
  };
  CHECK(is_rewrite(R"({"a":1,"b":2})", R"({"b":2,"a":1})"));
  CHECK_FALSE(is_rewrite(R"({"a":1})", R"({"a":2})"));
  CHECK(is_rewrite(R"({"metadata":{"managedFields":[],"name":"a"}})",
                   R"({"metadata":{"name":"a"}})"));
  CHECK_FALSE(is_rewrite(R"({"metadata":{"name":"a"}})", R"({"metadata":{"name":"b"}})"));
  CHECK_FALSE(is_rewrite(R"({"metadata":{"name":"a"}})", "{}"));
  CHECK_FALSE(is_rewrite(R"({"a":1})", "null"));
  CHECK_FALSE(is_rewrite("null", "null"));
  // Whoever reaches the port sends what no API server does.
  CHECK_FALSE(is_rewrite(R"({"metadata":[1,2]})", R"({"metadata":[3,4]})"));
  CHECK_FALSE(is_rewrite(R"({"metadata":"a"})", R"({"metadata":{}})"));
}

TEST_CASE("A migration of ours is known by its manager", "[migrate][guard]") {
  CHECK(IsOfMigration({"admin", "kubectl-prune"}));
  CHECK_FALSE(IsOfMigration({"kubectl-prune", "kubectl"}));
}

}  // namespace writer_test
}  // namespace migrate::guard
