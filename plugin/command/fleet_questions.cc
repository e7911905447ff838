#include "plugin/command/fleet_questions.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>

#include "kube/base/text.h"
#include "plugin/command/fleet_console.h"
#include "plugin/report/fleet_table.h"
#include "plugin/report/table.h"
#include "plugin/terminal/terminal.h"

namespace plugin::command {
namespace {

using kube::base::Count;
using migrate::report::ForetoldLoss;

// As many paths as fit a line; `check` and the report have all.
constexpr std::size_t kMostFields = 3;

std::string FieldsText(const ForetoldLoss& loss) {
  std::vector<std::string> paths;
  for (const auto& use : loss.pruned_fields) {
    if (paths.size() == kMostFields) break;
    paths.push_back(use.path);
  }
  const std::size_t more = loss.pruned_fields.size() - paths.size();
  return kube::base::Join(paths, ", ") +
         (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

void Append(std::vector<std::string>& lines, const std::string& text) {
  std::ranges::move(terminal::LinesOf(text), std::back_inserter(lines));
}

/// The requests that are to turn pruning on.
class PruningQuestion {
 public:
  void Take(const Request& request) {
    const ForetoldLoss& loss = *request.loss;
    table_.AddRow({request.cluster, request.crd, std::to_string(loss.objects),
                   std::to_string(loss.objects_losing_fields), FieldsText(loss)});
    for (const std::string& line : loss.plan) plan_.Add(request.cluster, line);
    clusters_.insert(request.cluster);
    crds_.insert(request.crd);
    objects_ += loss.objects;
    losing_ += loss.objects_losing_fields;
    ++switches_;
  }

  // The table comes last: it is what is decided on.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    Append(lines, plan_.Print(clusters_.size()));
    std::string table;
    table_.AppendTo(table);
    Append(lines, table);
    return lines;
  }

  std::string Text() const {
    const std::string what =
        crds_.size() == 1 ? *crds_.begin() : Count(switches_, "CustomResourceDefinition");
    return "Turn pruning on for " + what + " in " + Count(clusters_.size(), "cluster") +
           ", where " + std::to_string(losing_) + " of " + Count(objects_, "object") +
           (losing_ == 1 ? " loses" : " lose") +
           " fields? apiextensions.k8s.io/v1 cannot turn it off again.";
  }

 private:
  report::TextTable table_{{"CLUSTER", "NAME", "OBJECTS", "LOSING-FIELDS", "FIELDS"}};
  DeduplicatedMessages plan_;
  std::set<std::string> clusters_, crds_;
  std::uint64_t objects_ = 0, losing_ = 0, switches_ = 0;
};

FleetQuestion AskForPruning(const std::vector<Request>& requests) {
  PruningQuestion pruning;
  FleetQuestion asked;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests[i].loss) continue;
    pruning.Take(requests[i]);
    asked.requests.push_back(i);
  }
  if (asked.requests.empty()) return asked;
  asked.lines = pruning.Lines();
  asked.question = pruning.Text();
  return asked;
}

FleetQuestion AskAlike(const std::vector<Request>& requests, const std::string& question) {
  FleetQuestion asked;
  std::vector<std::string> clusters;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].loss || requests[i].question != question) continue;
    asked.requests.push_back(i);
    clusters.push_back(requests[i].cluster);
  }
  asked.question = "In " + report::ClusterNames(clusters, /*all=*/true) + ": " + question;
  return asked;
}

}  // namespace

std::vector<FleetQuestion> QuestionsOf(const std::vector<Request>& requests,
                                       const std::vector<std::string>& ended) {
  std::vector<FleetQuestion> questions{AskForPruning(requests)};
  if (questions.front().requests.empty()) questions.clear();
  std::set<std::string> others;
  for (const Request& request : requests) {
    if (request.loss || !others.insert(request.question).second) continue;
    questions.push_back(AskAlike(requests, request.question));
  }
  if (!questions.empty() && !ended.empty()) {
    questions.front().lines.push_back("Not asked about, as they have ended already: " +
                                      report::ClusterNames(ended, /*all=*/true));
  }
  return questions;
}

}  // namespace plugin::command
