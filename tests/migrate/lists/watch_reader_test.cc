#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "migrate/cluster/object_watch.h"

namespace migrate::cluster {
namespace watch_reader_test {

using Strings = std::vector<std::string>;

/// Writes down what is handed out.
class Recorder : public WatchReader::Sink {
 public:
  void OnEvent(WatchEventType type, kube::json::Value& object, kube::json::Document&) override {
    const auto* metadata = object.Find("metadata");
    events.push_back(std::to_string(static_cast<int>(type)) + " " +
                     std::string(metadata->FindText("name")) + " " +
                     std::string(metadata->FindText("resourceVersion")));
  }
  Strings events;
};

std::string Event(const std::string& type, const std::string& name, const std::string& version) {
  return R"({"type":")" + type + R"(","object":{"kind":"Widget","metadata":{"name":")" + name +
         R"(","resourceVersion":")" + version + "\"}}}\n";
}

TEST_CASE("Events are handed out as they arrive, in pieces of any size",
          "[migrate][watch_reader]") {
  const std::string text = Event("ADDED", "a", "1") + Event("MODIFIED", "a", "2") +
                           Event("DELETED", "a", "3") + Event("BOOKMARK", "", "9");
  const std::size_t piece = GENERATE(as<std::size_t>(), 1, 7, 1000);
  Recorder recorder;
  WatchReader reader(recorder);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    CHECK_FALSE(reader.Push(std::string_view(text).substr(at, piece)));
  }
  CHECK(recorder.events == Strings{"0 a 1", "1 a 2", "2 a 3", "3  9"});
}

TEST_CASE("An event of type ERROR ends the watch in the server's words",
          "[migrate][watch_reader]") {
  Recorder recorder;
  WatchReader reader(recorder);
  // As Kubernetes 1.20.2 sends it.
  const auto error =
      reader.Push(R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
                  R"~("status":"Failure","message":"too old resource version: 2 (501)",)~"
                  R"("reason":"Expired","code":410}})"
                  "\n" +
                  Event("ADDED", "a", "1"));
  REQUIRE(error);
  REQUIRE(error->status);
  CHECK(error->status->code == 410);
  CHECK_THAT(error->message, Catch::Contains("too old resource version: 2 (501)"));
  CHECK(recorder.events.empty());
  CHECK(reader.Push(Event("ADDED", "a", "1")));
  CHECK(recorder.events.empty());
}

TEST_CASE("Bytes that are no events are an error", "[migrate][watch_reader]") {
  const std::string text =
      GENERATE("<html>\n", "[]\n", "{}\n",
               R"({"type":"ADDED"})"
               "\n",
               R"({"type":"ADDED","object":3})"
               "\n",
               R"({"type":"ADDED","object":{}})"
               "\n",
               R"({"type":"GONE","object":{"metadata":{"resourceVersion":"1"}}})"
               "\n",
               R"({"kind":"WidgetList","items":[{"type":"ADDED"}]})"
               "\n",
               "{\"type\":\"ADDED\",\"object\":{,}}\n");
  CAPTURE(text);
  Recorder recorder;
  WatchReader reader(recorder);
  const auto error = reader.Push(text);
  REQUIRE(error);
  CHECK_FALSE(error->status);
  CHECK_THAT(error->message, Catch::StartsWith("the watch's answer cannot be read: "));
  CHECK(recorder.events.empty());
}

}  // namespace watch_reader_test
}  // namespace migrate::cluster
