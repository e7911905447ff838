#include "migrate/check/proof.h"

#include <algorithm>
#include <utility>

#include "kube/base/file_text.h"
#include "kube/go/go_time.h"
#include "kube/schema/pruning.h"
#include "kube/schema/schema_props.h"
#include "kube/schema/structural.h"
#include "migrate/cluster/object_metadata.h"
#include "migrate/cluster/private_file.h"
#include "migrate/cluster/spool_line.h"

namespace migrate::check {
namespace {

namespace fs = std::filesystem;
using kube::json::Arena;
using kube::json::Document;
using kube::json::Value;

constexpr char kFormat[] = "kubectl-prune proof 1";
constexpr std::size_t kHashBytes = sizeof(std::uint64_t);

std::uint64_t HashSeen(std::uint64_t uid_hash, std::string_view resource_version) {
  constexpr std::uint64_t kOddNumber = 0x9e3779b97f4a7c15;
  return uid_hash * kOddNumber ^ cluster::StableHash(resource_version);
}

// Of the objects in the order of the list.
std::vector<std::uint64_t> UidHashes(const cluster::Spool& pass) {
  std::vector<std::uint64_t> hashes;
  cluster::LineReader lines = pass.ObjectLines();
  while (const auto line = lines.Next(pass.listed_end())) {
    if (const auto object = cluster::ReadObjectLine(*line))
      hashes.push_back(cluster::StableHash(object->uid));
  }
  return hashes;
}

fs::path FileOf(const fs::path& state_dir, const std::string& crd_uid) {
  return state_dir / "proofs" / cluster::FileName(crd_uid);
}

Value Describe(const Proof& proof, Arena& arena) {
  Value object = Value::Object();
  const auto set = [&](std::string_view key, Value value) { object.Set(key, value, arena); };
  set("format", Value::String(kFormat));
  set("crdUID", Value::String(proof.crd_uid));
  set("generation", Value::Number(proof.generation, arena));
  set("storageVersion", Value::String(proof.storage_version));
  set("prunedSince", Value::String(arena.Copy(std::to_string(proof.pruned_since))));
  set("time", Value::String(proof.verified.time));
  set("objects", Value::Number(static_cast<std::int64_t>(proof.verified.objects), arena));
  return object;
}

// What is only for this machine to know.
Value DescribeWhole(const Proof& proof, Arena& arena) {
  Value object = Describe(proof, arena);
  object.Set("address", Value::String(proof.address), arena);
  object.Set("schema", Value::String(proof.schema), arena);
  return object;
}

std::optional<Proof> ReadDescription(std::string_view text) {
  Document document;
  if (document.Parse(text)) return std::nullopt;
  const Value& object = document.root();
  if (object.FindText("format") != kFormat) return std::nullopt;
  Proof proof;
  proof.crd_uid = object.FindText("crdUID");
  proof.generation = kube::json::AsInt64(object.At("generation")).value_or(0);
  proof.storage_version = object.FindText("storageVersion");
  proof.address = object.FindText("address");
  proof.schema = object.FindText("schema");
  proof.pruned_since = cluster::NumberOf(object.FindText("prunedSince"));
  proof.verified.time = object.FindText("time");
  proof.verified.objects =
      static_cast<std::uint64_t>(kube::json::AsInt64(object.At("objects")).value_or(0));
  return proof;
}

std::optional<std::vector<std::uint64_t>> ReadHashes(std::string_view bytes) {
  if (bytes.size() % kHashBytes != 0) return std::nullopt;
  std::vector<std::uint64_t> hashes;
  hashes.reserve(bytes.size() / kHashBytes);
  for (; !bytes.empty(); bytes.remove_prefix(kHashBytes)) {
    std::uint64_t hash = 0;
    for (std::size_t i = kHashBytes; i-- > 0;)
      hash = hash << 8 | static_cast<unsigned char>(bytes[i]);
    hashes.push_back(hash);
  }
  if (!std::ranges::is_sorted(hashes)) return std::nullopt;
  return hashes;
}

// A line that describes it, then the hashes.
std::optional<Proof> Load(const fs::path& state_dir, const std::string& crd_uid) {
  const auto text = kube::base::ReadFileText(FileOf(state_dir, crd_uid).string());
  if (!text) return std::nullopt;
  const std::size_t end = text->find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::optional<Proof> proof = ReadDescription(std::string_view(*text).substr(0, end));
  if (!proof) return std::nullopt;
  proof->seen = ReadHashes(std::string_view(*text).substr(end + 1));
  return proof->seen ? std::move(proof) : std::nullopt;
}

std::optional<Proof> ReadAnnotation(const kube::crd::Crd& crd) {
  const Value& metadata = crd.document->root().At("metadata");
  return ReadDescription(metadata.At("annotations").FindText(kAnnotation));
}

bool IsOf(const Proof& proof, const kube::crd::Crd& crd) {
  const kube::crd::CrdVersion* storage = crd.StorageVersion();
  return !crd.preserve_unknown_fields && !crd.uid.empty() && proof.crd_uid == crd.uid &&
         storage != nullptr && proof.storage_version == storage->name;
}

// What was written since the CRD has changed was pruned by other schemas.
bool Covers(const Proof& proof, const Value& object, bool has_changed) {
  const std::string_view version = cluster::MetadataText(object, "resourceVersion");
  if (version.empty() || !proof.seen) return false;
  const std::uint64_t number = cluster::NumberOf(version);
  if (!has_changed && proof.pruned_since != 0 && number > proof.pruned_since) return true;
  const std::uint64_t uid = cluster::StableHash(cluster::MetadataText(object, "uid"));
  return std::ranges::binary_search(*proof.seen, HashSeen(uid, version));
}

std::optional<Proof> LoadFor(const kube::crd::Crd& crd, const fs::path& state_dir,
                             const std::string& address) {
  if (state_dir.empty() || crd.uid.empty()) return std::nullopt;
  std::optional<Proof> proof = Load(state_dir, crd.uid);
  const bool is_here = proof && IsOf(*proof, crd) && proof->address == address;
  const bool is_known = is_here && (proof->generation == crd.generation || !proof->schema.empty());
  return is_known ? std::move(proof) : std::nullopt;
}

/// The schema of a proof, and what it is made of.
struct KnownSchema {
  explicit KnownSchema(const std::string& text) {
    if (document.Parse(text)) return;
    auto read = kube::schema::ReadSchemaProps(document.root());
    if (!read || kube::schema::ConversionError(*read)) return;
    props = std::make_unique<kube::schema::SchemaProps>(*std::move(read));
    structural = kube::schema::MakeStructural(*props, document.arena());
  }
  Document document;
  std::unique_ptr<kube::schema::SchemaProps> props;
  std::optional<kube::schema::StructuralSchema> structural;
};

}  // namespace

std::string TimeText(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return kube::go::FormatGoTime({seconds.time_since_epoch().count(), 0});
}

std::vector<std::uint64_t> SeenBy(const cluster::Spool& pass) {
  std::vector<std::uint64_t> seen;
  const std::vector<std::uint64_t> uids = UidHashes(pass);
  cluster::LineReader lines = pass.AnswerLines();
  while (const auto line = lines.Next(pass.answered_end())) {
    const auto read = cluster::ReadAnswerLine(*line);
    if (!read || read->answer.resource_version.empty() || read->number >= uids.size()) continue;
    const cluster::ObjectAnswer& answer = read->answer;
    // Only where it is another than was listed the answer has it.
    const std::uint64_t uid =
        answer.uid.empty() ? uids[read->number] : cluster::StableHash(answer.uid);
    seen.push_back(HashSeen(uid, answer.resource_version));
  }
  std::ranges::sort(seen);
  return seen;
}

void Save(const Proof& proof, const fs::path& state_dir) {
  Arena arena;
  std::string text = kube::json::Print(DescribeWhole(proof, arena)) + "\n";
  for (std::uint64_t hash : proof.seen.value_or(std::vector<std::uint64_t>())) {
    for (std::size_t i = 0; i < kHashBytes; ++i, hash >>= 8) text += static_cast<char>(hash & 0xFF);
  }
  cluster::ReplacePrivateFile(FileOf(state_dir, proof.crd_uid), text);
}

std::string AnnotationPatch(const Proof& proof) {
  Arena arena;
  const std::string text = kube::json::Print(Describe(proof, arena));
  Value annotations = Value::Object();
  annotations.Set(kAnnotation, Value::String(text), arena);
  Value metadata = Value::Object();
  metadata.Set("annotations", annotations, arena);
  Value patch = Value::Object();
  patch.Set("metadata", metadata, arena);
  return kube::json::Print(patch);
}

std::shared_ptr<const ObjectProof> Find(const kube::crd::Crd& crd, const fs::path& state_dir,
                                        const std::string& address) {
  auto found = std::make_shared<ObjectProof>();
  std::optional<Proof> proof = LoadFor(crd, state_dir, address);
  if (!proof) {
    proof = ReadAnnotation(crd);
    if (!proof || !IsOf(*proof, crd) || proof->generation != crd.generation) return nullptr;
    found->is_somebodys_word = true;
  }
  if (proof->generation == crd.generation) {
    found->verified = proof->verified;
  } else {
    const auto schema = std::make_shared<const KnownSchema>(proof->schema);
    found->may_keep = [schema](std::string_view path) {
      const bool is_quoted = path.find_first_of("'\"\\") != path.npos;
      return !schema->structural || is_quoted || kube::schema::KeepsPath(*schema->structural, path);
    };
  }
  const auto shared = std::make_shared<const Proof>(*std::move(proof));
  const bool has_changed = found->may_keep != nullptr;
  found->covers = [shared, has_changed](const Value& object) {
    return Covers(*shared, object, has_changed);
  };
  return found;
}

}  // namespace migrate::check
