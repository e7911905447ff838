#include <catch2/catch.hpp>

#include "kube/json/json.h"
#include "migrate/populate/object_apply.h"

namespace migrate::populate {
namespace object_states_test {

struct Recorder : check::ChangeTaker {
  void Take(const check::ObjectChange& change) override {
    now = kube::json::Print(change.now);
    after = kube::json::Print(change.after);
    differs = change.differs;
  }

  std::string now, after;
  bool differs = false;
};

Recorder Shown(const ObjectStates& states, const std::string& kind = "ConfigMap") {
  Recorder recorder;
  ShowStates(states, {.type = {"", kind}, .version = "v1", .plural = ""}, "shop", "x", recorder);
  return recorder;
}

TEST_CASE("Objects are compared without managed fields", "[migrate][population]") {
  const Recorder same =
      Shown({R"({"metadata":{"managedFields":[{"manager":"a"}],"name":"x"},"data":{"a":"b"}})",
             R"({"data":{"a":"b"},"metadata":{"managedFields":[{"manager":"b"}],"name":"x"}})"});
  CHECK_FALSE(same.differs);
  CHECK(same.now == R"({"data":{"a":"b"},"metadata":{"name":"x"}})");
  CHECK(same.after == same.now);
  const Recorder changed = Shown({R"({"data":{"a":"b"}})", R"({"data":{"a":"c"}})"});
  CHECK(changed.differs);
  CHECK(changed.after == R"({"data":{"a":"c"}})");
}

TEST_CASE("What there is on one side only is shown so", "[migrate][population]") {
  const Recorder made = Shown({"", R"({"data":{"a":"b"}})"});
  CHECK(made.differs);
  CHECK(made.now == "null");
  CHECK(made.after == R"({"data":{"a":"b"}})");
  const Recorder pruned = Shown({R"({"data":{"a":"b"}})", ""});
  CHECK(pruned.differs);
  CHECK(pruned.after == "null");
}

TEST_CASE("Of Secrets it is shown which values change, and none of them", "[migrate][population]") {
  const Recorder both = Shown({R"({"data":{"changed":"YQ==","gone":"Yg==","same":"Yw=="}})",
                               R"({"data":{"changed":"eA==","new":"eQ==","same":"Yw=="}})"},
                              "Secret");
  CHECK(both.differs);
  CHECK(both.now == R"j({"data":{"changed":"*** (before)","gone":"***","same":"***"}})j");
  CHECK(both.after == R"j({"data":{"changed":"*** (after)","new":"***","same":"***"}})j");
  const Recorder made = Shown({"", R"({"data":{"a":"YQ=="},"type":"Opaque"})"}, "Secret");
  CHECK(made.after == R"({"data":{"a":"***"},"type":"Opaque"})");
  const Recorder pruned = Shown({R"({"data":{"a":"YQ=="}})", ""}, "Secret");
  CHECK(pruned.now == R"({"data":{"a":"***"}})");
  const Recorder without = Shown({R"({"type":"Opaque"})", R"({"data":{"a":"YQ=="}})"}, "Secret");
  CHECK(without.now == R"({"type":"Opaque"})");
  CHECK(without.after == R"({"data":{"a":"***"}})");
  CHECK_FALSE(Shown({R"({"data":{"a":"YQ=="}})", R"({"data":{"a":"YQ=="}})"}, "Secret").differs);
}

TEST_CASE("What kubectl apply has noted of a Secret is not shown either", "[migrate][population]") {
  const std::string noted =
      R"({"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"YQ==",)"
      R"("other":"o"}}})";
  const Recorder secret = Shown({noted, noted}, "Secret");
  CHECK_FALSE(secret.differs);
  CHECK(secret.now == R"({"metadata":{"annotations":{)"
                      R"("kubectl.kubernetes.io/last-applied-configuration":"***","other":"o"}}})");
  CHECK(Shown({noted, noted}).now == noted);
}

}  // namespace object_states_test
}  // namespace migrate::populate
