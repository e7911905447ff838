#include "kube/admission/metrics.h"

#include <chrono>

#include "kube/base/metrics_text.h"
#include "kube/json/json.h"

namespace kube::admission {
namespace {

std::string_view OutcomeName(const Verdict& verdict) {
  if (!verdict) return "allowed";
  switch (verdict->kind) {
    case FailureKind::kRefusal:
      return "refusal";
    case FailureKind::kPermanent:
      return "permanent";
    case FailureKind::kTemporary:
      return "temporary";
    case FailureKind::kOther:
      return "other";
  }
  return "other";
}

}  // namespace

void Metrics::NoteCall(std::string_view handler, Operation operation, const Verdict& verdict,
                       base::Clock::Duration duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  std::size_t bucket = 0;
  while (bucket < kBounds.size() && seconds > kBounds.at(bucket)) ++bucket;
  const base::MutexLock lock(mutex_);
  ++calls_[{std::string(handler), OperationName(operation), OutcomeName(verdict)}];
  auto found = durations_.find(handler);
  if (found == durations_.end()) found = durations_.try_emplace(std::string(handler)).first;
  ++found->second.counts.at(bucket);
  found->second.sum += seconds;
}

void Metrics::NoteAnswer(int code) {
  const base::MutexLock lock(mutex_);
  ++answers_[code];
}

std::string Metrics::Print() const {
  const base::MutexLock lock(mutex_);
  std::string out;
  PrintAnswers(out);
  PrintCalls(out);
  PrintDurations(out);
  return out;
}

void Metrics::PrintAnswers(std::string& out) const {
  constexpr std::string_view kName = "admission_answers_total";
  base::AppendMetricHead(out, kName, "counter", "Answers to admission requests, by HTTP status.");
  for (const auto& [code, count] : answers_) {
    base::AppendMetricSample(out, kName, {{"code", std::to_string(code)}}, std::to_string(count));
  }
}

void Metrics::PrintCalls(std::string& out) const {
  constexpr std::string_view kName = "admission_handler_calls_total";
  base::AppendMetricHead(out, kName, "counter",
                         "Calls of admission handlers, by what came of them.");
  for (const auto& [labels, count] : calls_) {
    const auto& [handler, operation, outcome] = labels;
    base::AppendMetricSample(out, kName,
                             {{"handler", handler}, {"operation", operation}, {"outcome", outcome}},
                             std::to_string(count));
  }
}

void Metrics::PrintDurations(std::string& out) const {
  constexpr std::string_view kName = "admission_handler_duration_seconds";
  base::AppendMetricHead(out, kName, "histogram", "How long admission handlers took.");
  for (const auto& [name, durations] : durations_) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < durations.counts.size(); ++i) {
      count += durations.counts.at(i);
      const std::string bound = i < kBounds.size() ? json::FormatFloat(kBounds.at(i)) : "+Inf";
      base::AppendMetricSample(out, std::string(kName) + "_bucket",
                               {{"handler", name}, {"le", bound}}, std::to_string(count));
    }
    base::AppendMetricSample(out, std::string(kName) + "_sum", {{"handler", name}},
                             json::FormatFloat(durations.sum));
    base::AppendMetricSample(out, std::string(kName) + "_count", {{"handler", name}},
                             std::to_string(count));
  }
}

}  // namespace kube::admission
