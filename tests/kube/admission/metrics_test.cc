#include "kube/admission/endpoint.h"

#include <catch2/catch.hpp>
#include <thread>

namespace kube::admission {
namespace metrics_test {

using std::chrono::milliseconds;

TEST_CASE("Calls and answers are counted in Prometheus' text format", "[kube][admission]") {
  Metrics metrics;
  metrics.NoteCall("warn", Operation::kCreate, Allowed(), milliseconds(1));
  metrics.NoteCall("warn", Operation::kCreate, Allowed(), milliseconds(2));
  metrics.NoteCall("warn", Operation::kUpdate, Refusal("no"), milliseconds(20'000));
  metrics.NoteAnswer(200);
  metrics.NoteAnswer(404);
  metrics.NoteAnswer(200);
  CHECK(metrics.Print() ==
        R"(# HELP admission_answers_total Answers to admission requests, by HTTP status.
# TYPE admission_answers_total counter
admission_answers_total{code="200"} 2
admission_answers_total{code="404"} 1
# HELP admission_handler_calls_total Calls of admission handlers, by what came of them.
# TYPE admission_handler_calls_total counter
admission_handler_calls_total{handler="warn",operation="CREATE",outcome="allowed"} 2
admission_handler_calls_total{handler="warn",operation="UPDATE",outcome="refusal"} 1
# HELP admission_handler_duration_seconds How long admission handlers took.
# TYPE admission_handler_duration_seconds histogram
admission_handler_duration_seconds_bucket{handler="warn",le="0.001"} 1
admission_handler_duration_seconds_bucket{handler="warn",le="0.0025"} 2
admission_handler_duration_seconds_bucket{handler="warn",le="0.005"} 2
admission_handler_duration_seconds_bucket{handler="warn",le="0.01"} 2
admission_handler_duration_seconds_bucket{handler="warn",le="0.025"} 2
admission_handler_duration_seconds_bucket{handler="warn",le="0.05"} 2
admission_handler_duration_seconds_bucket{handler="warn",le="0.1"} 2
admission_handler_duration_seconds_bucket{handler="warn",le="0.25"} 2
admission_handler_duration_seconds_bucket{handler="warn",le="0.5"} 2
admission_handler_duration_seconds_bucket{handler="warn",le="1"} 2
admission_handler_duration_seconds_bucket{handler="warn",le="2.5"} 2
admission_handler_duration_seconds_bucket{handler="warn",le="10"} 2
admission_handler_duration_seconds_bucket{handler="warn",le="+Inf"} 3
admission_handler_duration_seconds_sum{handler="warn"} 20.003
admission_handler_duration_seconds_count{handler="warn"} 3
)");
}

TEST_CASE("Several threads count together", "[kube][admission]") {
  Metrics metrics;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&metrics] {
        for (int j = 0; j < 250; ++j) metrics.NoteAnswer(200);
      });
    }
  }
  CHECK_THAT(metrics.Print(), Catch::Contains("admission_answers_total{code=\"200\"} 1000\n"));
}

}  // namespace metrics_test
}  // namespace kube::admission
