#include "migrate/cluster/list_reader.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <string>

#include "tests/support/fake_cluster.h"

namespace migrate::cluster {
namespace list_reader_test {

using test_support::FakeCluster;
using test_support::FakeFault;

const std::string kWidgets = "/apis/demo.example.com/v1/widgets";
const std::string kPreserves = R"(,"preserveUnknownFields":true)";

void AddWidgets(FakeCluster& cluster, int count) {
  cluster.server.Add(test_support::FakeCrdText("widgets", kPreserves));
  for (int i = 0; i < count; ++i) {
    cluster.server.Add(
        test_support::FakeObjectText("widgets", "w" + std::to_string(100 + i), "{}"));
  }
}

/// How often each object was taken, by the last taker.
class Names : public ItemTaker {
 public:
  void Handle(std::size_t, kube::json::Document& item, std::uint64_t) override {
    const std::lock_guard lock(mutex_);
    ++count[std::string(item.root().Find("metadata")->FindText("name"))];
  }
  std::map<std::string, int> count;

 private:
  std::mutex mutex_;
};

ListJob Job(const std::string& target = kWidgets) {
  return {target, HandleEach([](kube::json::Document&) {})};
}

/// A list that was read, and how often each object came.
struct Listed : ListJob {
  std::map<std::string, int> names;
};

Listed Read(FakeCluster& cluster, const ListReaderOptions& options,
            const std::string& target = kWidgets, bool is_list = true) {
  std::shared_ptr<Names> names;
  std::vector<ListJob> jobs = {{target, MakerOf(names), is_list}};
  ReadLists(jobs, cluster.session(), options);
  return {std::move(jobs[0]), names->count};
}

// Every object once, and no other.
void CheckNames(const std::map<std::string, int>& names, int count) {
  CHECK(names.size() == static_cast<std::size_t>(count));
  for (const auto& [name, times] : names) {
    CAPTURE(name);
    CHECK(times == 1);
  }
}

FakeFault Fault(int first) { return {.target = kWidgets, .first = first}; }

TEST_CASE("H3 A list is read in chunks, each object once", "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 25);
  const Listed job = Read(cluster, {.chunk_size = 10, .workers = 2});
  CHECK_FALSE(job.error);
  CheckNames(job.names, 25);
  const std::vector<std::string> lines = cluster.server.RequestLines();
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "GET " + kWidgets + "?limit=10");
  CHECK_THAT(lines[1], Catch::StartsWith("GET " + kWidgets + "?limit=10&continue="));
  // The server refuses one beside a continue token.
  CHECK_THAT(lines[1], !Catch::Contains("resourceVersion"));
}

TEST_CASE("A chunk size of 0 reads everything at once", "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 25);
  CheckNames(Read(cluster, {.chunk_size = 0}).names, 25);
  CHECK(cluster.server.RequestLines() == std::vector<std::string>{"GET " + kWidgets});
}

TEST_CASE("An empty list is read too", "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 0);
  const Listed job = Read(cluster, {});
  CHECK_FALSE(job.error);
  CheckNames(job.names, 0);
}

TEST_CASE("A list that expires midway is read on, each object once", "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 30);
  FakeFault fault = Fault(2);
  fault.before = [&cluster] { cluster.server.Compact(); };
  cluster.server.AddFault(fault);
  const Listed job = Read(cluster, {.chunk_size = 10});
  CHECK_FALSE(job.error);
  CheckNames(job.names, 30);
  // The second page was asked for twice: by its own token and by that of the 410.
  CHECK(cluster.server.requests().size() == 4);
}

TEST_CASE("A page that breaks off is read on, each object once", "[migrate][list_reader]") {
  const int page = GENERATE(1, 2, 3);
  FakeCluster cluster;
  AddWidgets(cluster, 30);
  FakeFault fault = Fault(page);
  fault.lost_after = 1200;
  cluster.server.AddFault(fault);
  const Listed job = Read(cluster, {.chunk_size = 10, .workers = 2});
  CHECK_FALSE(job.error);
  CheckNames(job.names, 30);
}

TEST_CASE("A page of which no byte comes is not asked for again once the client has given up",
          "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 25);
  FakeFault fault = Fault(2);
  fault.times = 0;
  fault.lost = true;
  cluster.server.AddFault(fault);
  const Listed job = Read(cluster, {.chunk_size = 10});
  REQUIRE(job.error);
  CHECK(job.error->transport);
  // As client-go tries: ten times more, a second apart.
  CHECK(cluster.server.requests().size() == 1 + 1 + 10);
  CHECK(cluster.clock.passed() < std::chrono::seconds(12));
}

TEST_CASE("A page that meets two faults is read on, each object once", "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 30);
  FakeFault first = Fault(2);
  first.lost_after = 1200;
  FakeFault second = Fault(3);
  SECTION("it breaks off sooner the second time") { second.lost_after = 600; }
  SECTION("it breaks off before its first object the second time") { second.lost_after = 1; }
  SECTION("it has expired when it is asked for again") {
    second.before = [&cluster] { cluster.server.Compact(); };
  }
  cluster.server.AddFault(first);
  cluster.server.AddFault(second);
  const Listed job = Read(cluster, {.chunk_size = 10, .workers = 2});
  CHECK_FALSE(job.error);
  CheckNames(job.names, 30);
}

TEST_CASE("A server that gives the same continue token again is not asked for ever",
          "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 3);
  FakeFault fault = Fault(1);
  fault.times = 5;
  fault.answer = test_support::FakeText(
      200, "application/json", R"({"kind":"WidgetList","items":[],"metadata":{"continue":"x"}})");
  cluster.server.AddFault(fault);
  const Listed job = Read(cluster, {});
  REQUIRE(job.error);
  CHECK(job.error->message == "the server gives the same continue token again and again");
  CHECK(cluster.server.requests().size() == 2);
}

TEST_CASE("An answer that ends in the middle is not taken for a whole one",
          "[migrate][list_reader]") {
  const std::string body = GENERATE("", "{", R"({"kind":"WidgetList","items":[{"metadata":)",
                                    R"({"kind":"WidgetList","items":[])");
  FakeCluster cluster;
  AddWidgets(cluster, 3);
  FakeFault fault = Fault(1);
  fault.answer = test_support::FakeText(200, "application/json", body);
  cluster.server.AddFault(fault);
  const Listed job = Read(cluster, {});
  CHECK_FALSE(job.error);
  CheckNames(job.names, 3);
  CHECK(cluster.server.requests().size() == 2);
}

TEST_CASE("The kind of a list may be any word", "[migrate][list_reader]") {
  const std::string items = GENERATE("[]", "null");
  FakeCluster cluster;
  AddWidgets(cluster, 3);
  FakeFault fault = Fault(1);
  fault.answer = test_support::FakeText(
      200, "application/json", R"({"kind":"Widgetry","metadata":{},"items":)" + items + "}");
  cluster.server.AddFault(fault);
  const Listed job = Read(cluster, {});
  CHECK_FALSE(job.error);
  CheckNames(job.names, 0);
}

TEST_CASE("What is no list is an error at once, not an empty list", "[migrate][list_reader]") {
  using Catch::Matchers::StartsWith;
  const auto [body, message] = GENERATE(table<std::string, std::string>({
      {R"({"kind":"Widget","metadata":{"name":"a"}})",
       "the server's answer is no list (kind \"Widget\")"},
      {R"({"kind":"Status","status":"Success"})",
       "the server's answer is no list (kind \"Status\")"},
      {R"({"kind":"\u001b[2J"})", "the server's answer is no list (kind \"\\x1b[2J\")"},
      {R"({"items":{}})", "the server's answer is no list"},
      {"{}", "the server's answer is no list"},
      {"[1]", "the server's answer is no list"},
      {R"({"kind":"WidgetList","items":null}{})",
       "the server's answer is more than one JSON value"},
      {R"({"kind":"WidgetList","items":[{"a":}]})", "the server's answer cannot be read: "},
      {R"({"kind":,"items":[]})", "the server's answer cannot be read: "},
  }));
  CAPTURE(body);
  FakeCluster cluster;
  AddWidgets(cluster, 3);
  FakeFault fault = Fault(1);
  fault.times = 0;
  fault.answer = test_support::FakeText(200, "text/html", body);
  cluster.server.AddFault(fault);
  const Listed job = Read(cluster, {});
  REQUIRE(job.error);
  if (message.ends_with(": ")) {
    CHECK_THAT(job.error->message, StartsWith(message));  // and what the parser says
  } else {
    CHECK(job.error->message == message);
  }
  CHECK(cluster.server.requests().size() == 1);
}

TEST_CASE("HTML in the place of a list is an error that names the request",
          "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 3);
  FakeFault fault = Fault(1);
  fault.times = 0;
  fault.answer = test_support::FakeText(200, "text/html", "<html>login</html>");
  cluster.server.AddFault(fault);
  const Listed job = Read(cluster, {});
  REQUIRE(job.error);
  CHECK(job.error->message == "the server's answer to GET " + cluster.server.requests()[0].target +
                                  " is HTML, not JSON; is there a proxy or a login page in "
                                  "between?");
  CHECK(cluster.server.requests().size() == 1);
}

TEST_CASE("An answer that is no list is not read to its end", "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 3);
  cluster.server.SetPieceSize(10);
  FakeFault fault = Fault(1);
  fault.answer = test_support::FakeText(200, "text/plain", "I am " + std::string(10'000, 'x'));
  cluster.server.AddFault(fault);
  ListReaderOptions options;
  int polls = 0;
  options.on_progress = [&polls](const ListProgress&) { ++polls; };
  CHECK(Read(cluster, options).error);
  CHECK(polls < 10);
}

TEST_CASE("One list that cannot be read does not keep the others from it",
          "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 5);
  cluster.server.Add(test_support::FakeCrdText("gizmos", kPreserves));
  cluster.server.Forbid("gizmos.demo.example.com");
  std::vector<ListJob> jobs;
  for (int i = 0; i < 3; ++i) jobs.push_back(Job("/apis/demo.example.com/v1/gizmos"));
  std::shared_ptr<Names> names;
  jobs.emplace_back(kWidgets, MakerOf(names));
  ReadLists(jobs, cluster.session(), {.lists_at_once = 2});
  REQUIRE(jobs[0].error);
  CHECK(jobs[0].error->status->code == 403);
  CHECK_FALSE(jobs[3].error);
  CheckNames(names->count, 5);
}

TEST_CASE("A page that has no end is not read to it", "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 3);
  std::string items = R"({"metadata":{"name":"a"}})";
  for (int i = 0; i < 1000; ++i) items += R"(,{"metadata":{"name":"b"}})";
  FakeFault fault = Fault(1);
  fault.answer = test_support::FakeText(200, "application/json",
                                        R"({"kind":"WidgetList","items":[)" + items + "]}");
  cluster.server.AddFault(fault);
  int polls = 0;
  const Listed job =
      Read(cluster, {.on_progress = [&polls](const ListProgress&) { ++polls; }, .most_items = 5});
  REQUIRE(job.error);
  CHECK(job.error->message == "the server's list has no end");
  CHECK(job.names.at("b") <= 4);
  CHECK(polls < 10);  // a hundred bytes each
}

TEST_CASE("A list may have as many items as a list may have", "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 30);
  const Listed job = Read(cluster, {.chunk_size = 10, .most_items = 30});
  CHECK_FALSE(job.error);
  CheckNames(job.names, 30);
  CHECK(Read(cluster, {.chunk_size = 10, .most_items = 29}).error);
}

// A list of all, then 100 by a selector.
std::vector<ListJob> SelectedJobs() {
  std::vector<ListJob> jobs = {Job()};
  for (int i = 0; i < 100; ++i) {
    jobs.push_back(Job(kWidgets + "?fieldSelector=metadata.name%3Dw" + std::to_string(i)));
  }
  return jobs;
}

bool IsAsked(const ListJob& job) {
  return !job.error || job.error->message.find("not asked for") == std::string::npos;
}

TEST_CASE("Where eight lists in a row are not answered in time no more are begun",
          "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 1);
  cluster.server.AddFault(
      {.target = "fieldSelector", .times = 0, .latency = std::chrono::hours(1)});
  kube::client::Client client(cluster.server, cluster, cluster.clock,
                              {.server = "https://fake.example.com",
                               .user_agent = "test",
                               .request_timeout = std::chrono::seconds(10),
                               .patience = std::chrono::minutes(2)});
  std::vector<ListJob> jobs = SelectedJobs();
  ReadLists(jobs, {client, cluster.clock}, {.lists_at_once = 4});
  CHECK_FALSE(jobs[0].error);
  CHECK(std::ranges::count_if(jobs, &ListJob::HasFailed) == 100);
  CHECK(jobs[1].error->message ==
        "Unable to connect to the server: the answer was not complete within the time of "
        "--request-timeout");
  // When the eighth ends some are under way.
  CHECK(std::ranges::count_if(jobs, IsAsked) <= 13);
  CHECK(cluster.clock.passed() <= std::chrono::seconds(31));
}

TEST_CASE("It is all the same why lists are not answered", "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 1);
  cluster.server.AddFault({.target = "fieldSelector", .times = 0, .lost = true});
  std::vector<ListJob> jobs = SelectedJobs();
  ReadLists(jobs, cluster.session(), {.lists_at_once = 1});
  CHECK(std::ranges::count_if(jobs, IsAsked) == 9);
  CHECK(jobs[9].error->message ==
        "not asked for, as the server did not answer the last 8 lists before it");
}

TEST_CASE("A server that answers now and then is asked for all lists", "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 1);
  FakeFault hangs;
  hangs.lost = true;
  hangs.times = 0;
  for (int i = 0; i < 100; ++i) {
    if (i % 8 == 7) continue;
    hangs.target = "metadata.name%3Dw" + std::to_string(i) + "&";
    cluster.server.AddFault(hangs);
  }
  std::vector<ListJob> jobs = SelectedJobs();
  ReadLists(jobs, cluster.session(), {.lists_at_once = 1});
  CHECK(std::ranges::count_if(jobs, IsAsked) == 101);
  CHECK(std::ranges::count_if(jobs, &ListJob::HasFailed) == 88);
}

TEST_CASE("No more lists are read at once than asked for", "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 1);
  FakeFault slow = Fault(1);
  slow.times = 0;
  slow.latency = std::chrono::seconds(1);
  cluster.server.AddFault(slow);
  std::vector<ListJob> jobs;
  for (int i = 0; i < 6; ++i) jobs.push_back(Job());
  ReadLists(jobs, cluster.session(), {.lists_at_once = 2});
  CHECK(cluster.clock.passed() >= std::chrono::seconds(3));
  CHECK(cluster.clock.passed() < std::chrono::seconds(4));
}

TEST_CASE("A run that is stopped ends at once, and says what it did not read",
          "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 30);
  std::atomic<bool> stop = false;
  FakeFault fault = Fault(2);
  fault.before = [&stop] { stop = true; };
  cluster.server.AddFault(fault);
  cluster.run_stop = &stop;
  const Listed job = Read(cluster, {.chunk_size = 10});
  REQUIRE(job.error);
  CHECK(job.error->message == "interrupted");
}

TEST_CASE("Progress counts items, and how many there are as far as the server tells",
          "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 30);
  std::uint64_t most_known = 0;
  ListProgress last;
  ListReaderOptions options{.chunk_size = 10};
  options.on_progress = [&](const ListProgress& progress) {
    most_known = std::max(most_known, progress.items_known);
    last = progress;
  };
  Read(cluster, options);
  CHECK(most_known == 30);
  CHECK(last.items == 30);
  CHECK(last.lists_done == 1);
}

TEST_CASE("One object is taken as it is", "[migrate][list_reader]") {
  FakeCluster cluster;
  AddWidgets(cluster, 2);
  const Listed job =
      Read(cluster, {}, "/apis/demo.example.com/v1/namespaces/shop/widgets/w101", false);
  CHECK_FALSE(job.error);
  CHECK(job.names == std::map<std::string, int>{{"w101", 1}});
}

TEST_CASE("A list, or two objects, in the place of one object are an error",
          "[migrate][list_reader]") {
  const auto [body, message] = GENERATE(table<std::string, std::string>({
      {R"({"kind":"WidgetList","items":[{"metadata":{"name":"a"}}]})",
       "the server's answer is a list in the place of one object"},
      {R"({"kind":"WidgetList","items":[]})",
       "the server's answer is a list in the place of one object"},
      {"[1,2]", "the server's answer is a list in the place of one object"},
      {R"({"metadata":{"name":"a"}}{"metadata":{"name":"b"}})",
       "the server's answer is more than one JSON value"},
  }));
  FakeCluster cluster;
  AddWidgets(cluster, 1);
  FakeFault fault = Fault(1);
  fault.answer = test_support::FakeText(200, "application/json", body);
  cluster.server.AddFault(fault);
  const Listed job = Read(cluster, {}, kWidgets + "/a", false);
  REQUIRE(job.error);
  CHECK(job.error->message == message);
  CHECK(job.names.size() <= 1);
}

}  // namespace list_reader_test
}  // namespace migrate::cluster
