#include "migrate/check/object_mutation.h"

#include <utility>

#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "kube/base/text.h"
#include "migrate/cluster/private_file.h"

namespace migrate::check {
namespace {

using kube::json::Value;
using kube::mutation::Mutation;

constexpr char kStandardInput[] = "-";

std::string ReadText(const std::string& filename) {
  auto text = kube::base::ReadFileText(filename == kStandardInput ? "/dev/stdin" : filename);
  if (!text) throw kube::base::Error("cannot read the mutation: " + text.error().message);
  return *std::move(text);
}

Mutation ReadMutation(const std::string& filename, const std::string& text) {
  auto mutation = Mutation::Parse(text);
  if (!mutation) {
    const kube::mutation::ParseError& error = mutation.error();
    throw kube::base::Error(filename + ":" + std::to_string(error.line) + ": " +
                            (error.key.empty() ? "" : error.key + ": ") + error.message);
  }
  if (mutation->empty()) throw kube::base::Error(filename + " holds no mutation tree");
  return *std::move(mutation);
}

}  // namespace

kube::base::Result<std::optional<Value>, std::string> ObjectMutation::Apply(
    const Value& object, kube::json::Arena& arena) const {
  const Value once = mutation_.Apply(object, arena);
  if (kube::json::Equal(object, once)) return std::optional<Value>();
  if (!kube::json::Equal(once, mutation_.Apply(once, arena))) {
    return kube::base::Unexpected(
        "the trees of " + sources_ +
        " would change it again when they are applied a second time, as happens after an "
        "interruption; limit them by a match that the changed object does not fit");
  }
  return std::optional(once);
}

std::shared_ptr<const ObjectMutation> ReadMutations(const std::vector<std::string>& filenames) {
  if (filenames.empty()) return nullptr;
  Mutation all;
  std::string texts;
  for (const std::string& filename : filenames) {
    const std::string text = ReadText(filename);
    all.Append(ReadMutation(filename, text));
    texts += text + "\n---\n";
  }
  return std::make_shared<const ObjectMutation>(std::move(all),
                                                kube::base::Join(filenames, " and "),
                                                std::to_string(cluster::StableHash(texts)));
}

}  // namespace migrate::check
