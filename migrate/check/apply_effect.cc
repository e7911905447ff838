#include "migrate/check/apply_effect.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "kube/client/answer_meaning.h"
#include "kube/client/api_status.h"
#include "kube/crd/client_apply.h"
#include "kube/crd/crd_validation.h"
#include "kube/json/json.h"
#include "migrate/check/version_validity.h"
#include "migrate/report/program_name.h"

namespace migrate::check {
namespace {

using kube::client::ApiRequest;
using kube::client::CallError;
using kube::client::DocumentResult;
using kube::client::Meaning;
using kube::json::Document;
using kube::json::Value;

// Requests in flight; an answer has the size of a CRD.
constexpr std::size_t kAtOnce = 8;

constexpr char kQuery[] = "?dryRun=All&fieldValidation=Strict&fieldManager=";
constexpr char kClientSide[] = "kubectl-client-side-apply";

/// One question on its way.
struct Asked {
  const ApplyQuestion* question;
  std::unique_ptr<Document> manifest;
  std::string collection{};
  const Value* live = nullptr;  // the null pointer: there is none

  std::string target() const { return collection + "/" + kube::client::UrlEscape(question->name); }
};

// The object, not the whole resource, is said to be missing.
bool IsNew(const CallError& error) {
  return MeaningOf(error) == Meaning::kNotFound && error.status && !error.status->name.empty();
}

// The words of kube-apiserver's authorizers (apiserver pkg/endpoints/handlers/responsewriters
// ForbiddenStatusError); those of admission begin otherwise.
bool IsRightMissing(const CallError& error) {
  return MeaningOf(error) == Meaning::kForbidden && error.status &&
         error.status->message.find("is forbidden: User \"") != std::string::npos;
}

// A manifest with a resourceVersion, as kubectl get prints it, is for that version alone.
bool HasResourceVersion(const Value& manifest) {
  return !manifest.At("metadata").FindText("resourceVersion").empty();
}

bool IsAnswer(const CallError& error, const Value& manifest) {
  const Meaning meaning = MeaningOf(error);
  if (meaning == Meaning::kConflict) return HasResourceVersion(manifest);
  return kube::client::IsRefusal(meaning) && meaning != Meaning::kTooManyRequests &&
         meaning != Meaning::kUnauthorized && !IsRightMissing(error) &&
         !kube::client::IsDryRunUnsupported(error);
}

ApiRequest DryRun(std::string method, std::string target, std::string type, std::string body) {
  return {.method = std::move(method),
          .target = std::move(target),
          .content_type = std::move(type),
          .body = std::move(body),
          .changes_nothing = true};
}

// `live`: the null pointer where there is none.
ApiRequest ApplyOf(const Asked& asked, const Value* live) {
  const std::string_view applier =
      live == nullptr ? std::string_view() : kube::crd::FindServerSideApplier(*live);
  asked.question->answer->server_side_manager = applier;
  if (!applier.empty()) {
    return DryRun("PATCH",
                  asked.target() + kQuery + kube::client::UrlEscape(applier) + "&force=true",
                  "application/apply-patch+yaml", std::string(asked.question->manifest));
  }
  kube::json::Arena& arena = asked.manifest->arena();
  const Value modified = kube::crd::WithLastApplied(asked.manifest->root(), arena);
  if (live == nullptr) {
    return DryRun("POST", asked.collection + kQuery + kClientSide, "application/json",
                  kube::json::Print(modified));
  }
  const Value patch = kube::crd::ApplyPatch(modified, *live, arena);
  return DryRun("PATCH", asked.target() + kQuery + kClientSide, "application/merge-patch+json",
                kube::json::Print(patch));
}

// What kubectl says before it sends anything.
void TakeMissingVersion(const Asked& asked) {
  report::ApplyReport& answer = *asked.question->answer;
  answer.accepted = false;
  answer.causes.clear();
  answer.message = "no matches for kind \"CustomResourceDefinition\" in version \"" +
                   std::string(asked.manifest->root().FindText("apiVersion")) + "\"";
}

void HandleError(const Asked& asked, const CallError& error) {
  report::ApplyReport& answer = *asked.question->answer;
  if (IsAnswer(error, asked.manifest->root())) {
    answer.accepted = false;
    answer.message = error.message;
    answer.causes = error.status ? error.status->causes : std::vector<std::string>();
  } else {
    answer.not_asked_because = error.message;
  }
}

bool AreSame(const Value* now, const Value* then) {
  return now == nullptr || then == nullptr ? now == then : kube::json::Equal(*now, *then);
}

// But for what moves with every write.
bool IsSame(const Value& answer, const Value& live) {
  const Value *metadata = answer.Find("metadata"), *before = live.Find("metadata");
  if (metadata == nullptr || before == nullptr) return false;
  return AreSame(answer.Find("spec"), live.Find("spec")) &&
         AreSame(metadata->Find("labels"), before->Find("labels")) &&
         AreSame(metadata->Find("annotations"), before->Find("annotations"));
}

void HandleAnswer(const Asked& asked, const DocumentResult& result) {
  if (!result) return HandleError(asked, result.error());
  report::ApplyReport& answer = *asked.question->answer;
  if (asked.live != nullptr) answer.is_unchanged = IsSame((*result)->root(), *asked.live);
  answer.accepted = true;
  answer.message.clear();
  answer.causes.clear();
  // Rather warned too often: where server-side apply would turn it off, too.
  answer.preserves_unknown_fields &=
      (*result)->root().At("spec").At("preserveUnknownFields").is_true();
}

void Ask(std::span<const ApplyQuestion> questions, kube::client::Client& client) {
  std::vector<Asked> read;
  std::vector<ApiRequest> reads;
  for (const ApplyQuestion& question : questions) {
    Asked asked{&question, std::make_unique<Document>()};
    if (asked.manifest->Parse(question.manifest)) continue;  // as it was printed by us
    asked.collection = "/apis/" + std::string(asked.manifest->root().FindText("apiVersion")) +
                       "/customresourcedefinitions";
    reads.push_back({.target = asked.target()});
    read.push_back(std::move(asked));
  }
  std::vector<DocumentResult> live = client.SendAll(std::move(reads));
  std::vector<const Asked*> applied;
  std::vector<ApiRequest> applies;
  for (std::size_t i = 0; i < read.size(); ++i) {
    const bool is_new = !live[i] && IsNew(live[i].error());
    if (!live[i] && !is_new) {
      const bool is_missing = MeaningOf(live[i].error()) == Meaning::kNotFound;
      is_missing ? TakeMissingVersion(read[i]) : HandleError(read[i], live[i].error());
      continue;
    }
    applies.push_back(ApplyOf(read[i], is_new ? nullptr : &(*live[i])->root()));
    if (!is_new) read[i].live = &(*live[i])->root();
    applied.push_back(&read[i]);
  }
  const std::vector<DocumentResult> answers = client.SendAll(std::move(applies));
  for (std::size_t i = 0; i < applied.size(); ++i) HandleAnswer(*applied[i], answers[i]);
}

}  // namespace

void AskApply(const std::vector<ApplyQuestion>& questions, kube::client::Client& client) {
  const std::span<const ApplyQuestion> all(questions);
  for (std::size_t begin = 0; begin < all.size(); begin += kAtOnce) {
    Ask(all.subspan(begin, std::min(kAtOnce, all.size() - begin)), client);
  }
}

namespace {

constexpr char kPreserve[] = "preserveUnknownFields";
constexpr char kConversion[] = "conversion";

bool Leaves(const kube::crd::Crd& file, const kube::crd::Crd& live, std::string_view field) {
  return kube::crd::ApplyLeaves(file.document->root(), live.document->root(), field);
}

// Also what no file names: of a new CRD its default, of another what it has already.
bool PreservesBehindApply(const kube::crd::Crd& file, const kube::crd::Crd* live) {
  if (live == nullptr || kube::crd::NamesInSpec(file.document->root(), kPreserve)) {
    return file.preserve_unknown_fields;
  }
  return Leaves(file, *live, kPreserve) ? live->preserve_unknown_fields : file.is_v1beta1();
}

}  // namespace

void TakeConversionThatStays(kube::crd::Crd& file, const kube::crd::Crd& live) {
  if (Leaves(file, live, kConversion)) file.conversion = live.conversion;
}

report::ApplyReport ForetellApply(kube::crd::Crd& file, const kube::crd::Crd* live,
                                  const std::optional<kube::base::Release>& release,
                                  kube::schema::PatternChecks& patterns) {
  report::ApplyReport apply{.preserves_unknown_fields = PreservesBehindApply(file, live)};
  const bool in_file = file.preserve_unknown_fields;
  file.preserve_unknown_fields = apply.preserves_unknown_fields;
  kube::client::ApiStatus status;
  status.reason = "Invalid";
  status.kind = "CustomResourceDefinition";
  status.name = file.name;
  for (const auto& finding : kube::crd::ValidateCrdRequest(
           file, live, patterns, release.value_or(kube::base::kNewestRelease))) {
    if (LaterRelease(finding.error, release)) continue;
    status.causes.push_back(finding.error.ToString());
  }
  file.preserve_unknown_fields = in_file;
  apply.accepted = status.causes.empty();
  if (!apply.accepted) apply.message = kube::client::Describe(status);
  apply.causes = std::move(status.causes);
  return apply;
}

std::string DescribeApply(const report::CrdReport& crd) {
  if (!crd.apply || !crd.apply->accepted) return "";
  if (!crd.replaced || !crd.replaced->preserve_unknown_fields) return "";
  const std::string command =
      report::OwnClusterCommand("migrate " + crd.name + " --enable-pruning");
  const std::string begin =
      "the CRD in the cluster still preserves unknown fields, and kubectl apply of this file ";
  if (crd.apply->preserves_unknown_fields) {
    // Who keeps it in the file knows.
    if (crd.preserve_unknown_fields) return "";
    return begin + "leaves it so; pruning is turned on by: " + command;
  }
  return begin +
         "turns pruning on, without a backup. Do the steps of the plan before it, or keep "
         "spec.preserveUnknownFields: true in the file";
}

}  // namespace migrate::check
