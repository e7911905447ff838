#include "tests/support/fake_list.h"

#include <stdexcept>
#include <string_view>

#include "tests/support/fake_object.h"
#include "tests/support/fake_url.h"

namespace test_support {
namespace {

using kube::json::Value;

/// Text of a selector's left side in an object.
std::string_view SelectedText(const Value& object, const std::string& key, bool labels) {
  if (!labels && key.starts_with("metadata.")) return MetadataText(object, key.substr(9));
  const Value* metadata = object.Find("metadata");
  const Value* found = labels && metadata ? metadata->Find("labels") : nullptr;
  return found ? found->FindText(key) : std::string_view();
}

bool Matches(const Value& object, const std::string& selector, bool labels) {
  for (const std::string& term : Split(selector, ',')) {
    const std::size_t equals = term.find('=');
    if (term.find_first_of("!( ") != term.npos) {
      throw std::logic_error("the fake API server knows only selectors of a=b, and of a: " +
                             selector);
    }
    if (equals == term.npos) {
      if (SelectedText(object, term, labels).empty()) return false;
      continue;
    }
    const std::size_t value = term.find_first_not_of('=', equals);
    const std::string want = value == term.npos ? "" : term.substr(value);
    if (SelectedText(object, term.substr(0, equals), labels) != want) return false;
  }
  return true;
}

}  // namespace

void FakeChunk::Take(const FakePlace& place, const std::string& key, const Value& object) {
  if (!Matches(object, labels, true) || !Matches(object, fields, false)) return;
  if (limit != 0 && count == limit) {
    ++left;
    return;
  }
  if (count++ > 0) items += ",";
  items += place.Print(object, true);
  next = key + '\0';
}

FakeAnswer PrintFakeList(const FakePlace& place, const FakeChunk& chunk, long version) {
  const std::string resource_version = "\"resourceVersion\":\"" + std::to_string(version) + "\"";
  const std::string next = chunk.left == 0 ? "" : ContinueToken(version, chunk.next);
  // With a selector the server cannot tell how many are left.
  std::string remaining;
  if (chunk.left > 0 && chunk.labels.empty() && chunk.fields.empty()) {
    remaining = "\"remainingItemCount\":" + std::to_string(chunk.left);
  }
  const std::string items = "\"items\":[" + chunk.items + "]";
  const std::string comma = remaining.empty() ? "" : ",";
  if (place.metadata_version) {
    // 1.20 does not tell here how many are left.
    return FakeText(200, "application/json",
                    R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/)" +
                        *place.metadata_version + R"(","metadata":{)" + resource_version +
                        (next.empty() ? "" : ",\"continue\":\"" + next + "\"") + "}," + items +
                        "}\n");
  }
  if (!place.typed) {
    return FakeText(200, "application/json",
                    R"({"apiVersion":")" + place.api_version() + "\"," + items + R"(,"kind":")" +
                        place.list_kind + R"(","metadata":{"continue":")" + next + "\"," +
                        remaining + comma + resource_version + "}}\n");
  }
  return FakeText(200, "application/json",
                  R"({"kind":")" + place.list_kind + R"(","apiVersion":")" + place.api_version() +
                      R"(","metadata":{)" + resource_version +
                      (next.empty() ? "" : ",\"continue\":\"" + next + "\"") + comma + remaining +
                      "}," + items + "}\n");
}

}  // namespace test_support
