#include <cstdint>
#include <vector>

#include "kube/base/utf8.h"
#include "kube/schema/pruning.h"
#include "migrate/guard/request_loss.h"
#include "migrate/guard/writer_tally.h"
#include "tests/fuzz/schema_and_object.h"

namespace {

using fuzz::Require;
using kube::json::Value;
using migrate::guard::FindRequestLoss;
using migrate::guard::LostField;
using migrate::guard::RequestLoss;
using migrate::guard::VersionSchema;

class Counter : public kube::schema::UnknownFieldSink {
 public:
  void OnUnknownField(const kube::schema::UnknownField&) override { ++count; }
  std::uint64_t count = 0;
};

void RequireSmall(const RequestLoss& loss) {
  Require(loss.fields.size() <= RequestLoss::kMostPaths);
  for (const LostField& field : loss.fields) {
    Require(field.added <= field.count && field.count > 0);
    Require(field.path.size() <= RequestLoss::kMostPathBytes);
    Require(field.example.size() <= RequestLoss::kMostPathBytes);
    const std::string text = LossText(field, "widgets.demo.example.com", " is removed", 120);
    Require(kube::base::utf8::CountCharacters(text) <= 120);
  }
  Require(loss.left_out_added <= loss.left_out);
}

// By one schema as many fields are lost as the server takes, those of embedded metadata among them.
void RequireAllCounted(const RequestLoss& loss, const Value& object, const VersionSchema& by) {
  Counter found;
  kube::schema::FindLostFields(object, by.schema, found);
  std::uint64_t count = loss.left_out;
  for (const LostField& field : loss.fields) count += field.count;
  Require(count == found.count);
}

// Whatever objects a review has: what is equal is a rewrite, and who wrote it can be asked.
void RequireWriter(const Value& object, const Value& old_object) {
  kube::admission::Review review;
  review.object = &object;
  review.old_object = &old_object;
  (void)migrate::guard::IsRewrite(review);
  (void)migrate::guard::WriterOf(review);
  review.old_object = &object;
  Require(migrate::guard::IsRewrite(review));
}

}  // namespace

// A schema, the old object, and the object.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::Text(data, size);
  fuzz::SchemaAndObject old;
  const std::string_view schema = fuzz::TakeLine(text);
  const std::string_view old_object = fuzz::TakeLine(text);
  const std::string schema_and_old = std::string(schema).append("\n").append(old_object);
  kube::json::Document document;
  if (!fuzz::Read(schema_and_old, old) || document.Parse(text)) return 0;
  const Value& object = document.root();
  const std::vector<VersionSchema> by = {{"v2", &old.schema}, {"v1", nullptr}};
  const std::string before = kube::json::Print(object);

  const RequestLoss loss = FindRequestLoss(object, &old.object(), std::span(by).first(1));
  RequireSmall(loss);
  RequireAllCounted(loss, object, by[0]);
  RequireSmall(FindRequestLoss(object, nullptr, by));
  RequireSmall(FindRequestLoss(object, &old.object(), by));
  Require(!FindRequestLoss(object, &object, by).AddsFields());
  RequireWriter(object, old.object());
  Require(kube::json::Print(object) == before);
  return 0;
}
