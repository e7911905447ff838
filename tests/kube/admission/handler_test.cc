#include "kube/admission/handler.h"

#include <catch2/catch.hpp>

#include "kube/base/result.h"

namespace kube::admission {
namespace handler_test {

const HandlerOptions kAny{.resources = {AnyResource()}};

Handler Named(const std::string& id) {
  return Validate(id, kAny, [](const Review&, Reply&) { return Allowed(); });
}

TEST_CASE("A handler is found by its id, also with hyphens", "[kube][admission]") {
  Handlers handlers;
  handlers.Add(Named("say_hello"));
  handlers.Add(Named("fn/spec.a"));
  CHECK(handlers.Find("say_hello")->id == "say_hello");
  CHECK(handlers.Find("say-hello")->id == "say_hello");
  CHECK(handlers.Find("fn/spec.a")->id == "fn/spec.a");
  CHECK(handlers.Find("fn.spec.a") == nullptr);
  CHECK(handlers.Find("") == nullptr);
}

TEST_CASE("A handler that nobody could ask is refused", "[kube][admission]") {
  Handlers handlers;
  handlers.Add(Named("a_b"));
  const auto why = [&](const Handler& handler) -> std::string {
    try {
      handlers.Add(handler);
    } catch (const base::Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(why(Named("a-b")) ==
        "admission handler \"a-b\": its webhook would have the name of that of \"a_b\"");
  CHECK_THAT(why(Named("a b")), Catch::Contains("an id is words of"));
  CHECK_THAT(why(Named("")), Catch::Contains("an id is words of"));
  CHECK_THAT(why(Named("/a")), Catch::Contains("an id is words of"));
  CHECK_THAT(why(Named("Upper")), Catch::Contains("an id is words of"));
  Handler none = Named("none");
  none.options.resources.clear();
  CHECK(why(none) == "admission handler \"none\": it is for no resource");
  Handler slow = Named("slow");
  slow.options.timeout = std::chrono::seconds(GENERATE(0, 31));
  CHECK_THAT(why(slow), Catch::Contains("must be between 1 and 30 seconds"));
  Handler labelled = Named("labelled");
  labelled.options.object.labels = {LabelIn("a", {})};
  CHECK_THAT(why(labelled), Catch::Contains("label \"a\""));
  Handler pathless = Named("pathless");
  pathless.options.object.fields = {FieldExists({})};
  CHECK_THAT(why(pathless), Catch::Contains("a field needs a path"));
  CHECK(handlers.all().size() == 1);
}

}  // namespace handler_test
}  // namespace kube::admission
