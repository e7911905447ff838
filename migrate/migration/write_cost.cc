#include "migrate/migration/write_cost.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "migrate/cluster/object_metadata.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::migration {
namespace {

constexpr std::size_t kFirst = 5;

void KeepFirst(std::vector<SizedObject>& first, SizedObject object) {
  const auto place = std::ranges::upper_bound(first, object.number, {}, &SizedObject::number);
  if (first.size() == kFirst && place == first.end()) return;
  first.insert(place, std::move(object));
  if (first.size() > kFirst) first.pop_back();
}

/// The seconds that one write takes; absent: it was refused.
std::optional<double> Measure(const SizedObject& object, const rewrite::SweepTarget& target,
                              const kube::client::Session& session) {
  cluster::ListedObject listed;
  listed.namespace_ = object.namespace_;
  listed.name = object.name;
  kube::client::ApiRequest request = DryRunWrite(target, listed);
  request.retry = false;
  const auto begin = session.clock.Now();
  if (!session.client.Send(std::move(request))) return std::nullopt;
  return std::chrono::duration<double>(session.clock.Now() - begin).count();
}

}  // namespace

kube::client::ApiRequest DryRunWrite(const rewrite::SweepTarget& target,
                                     const cluster::ListedObject& object) {
  kube::client::ApiRequest request;
  request.method = "PATCH";
  request.target = rewrite::ObjectPath(target, object) + "?dryRun=All";
  request.content_type = "application/merge-patch+json";
  request.accept = rewrite::kMetadataAccept;
  request.body = "{}";
  return request;
}

void ObjectSizes::Add(const kube::json::Value& object, std::uint64_t number, std::uint64_t size) {
  ++objects;
  bytes += size;
  const bool is_first = first.size() < kFirst || number < first.back().number;
  if (!is_first && size <= largest.bytes) return;
  SizedObject sized{.namespace_ = std::string(cluster::MetadataText(object, "namespace")),
                    .name = std::string(cluster::MetadataText(object, "name")),
                    .number = number,
                    .bytes = size};
  if (size > largest.bytes) largest = sized;
  if (is_first) KeepFirst(first, std::move(sized));
}

void ObjectSizes::Merge(ObjectSizes other) {
  objects += other.objects;
  bytes += other.bytes;
  if (other.largest.bytes > largest.bytes) largest = std::move(other.largest);
  for (SizedObject& object : other.first) KeepFirst(first, std::move(object));
}

WriteCost MeasureWriteCost(const ObjectSizes& sizes, const rewrite::SweepTarget& target,
                           const kube::client::Session& session) {
  struct Written {
    double seconds = 0, bytes = 0;
  };
  std::vector<Written> first;
  for (const SizedObject& object : sizes.first) {
    if (session.is_stopped()) return {};
    const auto seconds = Measure(object, target, session);
    if (!seconds) return {};
    first.push_back({*seconds, static_cast<double>(object.bytes)});
  }
  if (first.empty()) return {};
  // One that takes long by chance does not count.
  std::ranges::sort(first, {}, &Written::seconds);
  const Written usual = first[first.size() / 2];
  WriteCost cost{.object = usual.seconds, .byte = 0, .is_measured = true};
  const double more = static_cast<double>(sizes.largest.bytes) - usual.bytes;
  // Where all are about as large, nothing tells what is due to the size, and nothing needs to.
  if (more <= usual.bytes) return cost;
  const auto seconds = Measure(sizes.largest, target, session);
  if (!seconds) return {};
  cost.byte = std::max(0.0, *seconds - usual.seconds) / more;
  cost.object = std::max(0.0, usual.seconds - cost.byte * usual.bytes);
  return cost;
}

}  // namespace migrate::migration
