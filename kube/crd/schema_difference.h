#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/crd/change.h"
#include "kube/crd/value_rules.h"
#include "kube/json/json.h"
#include "kube/schema/schema_props.h"

namespace kube::crd {

/// The changes of a comparison, by number; an end to how many there are.
class ChangeList {
 public:
  /// False where another change would be one too many; then it is to be left out.
  bool HasRoom(bool breaking) const;
  void LeaveOut() { ++left_out_; }
  /// The number of the change from now on; absent where it is left out.
  std::optional<std::size_t> Add(Change change);

  const std::vector<Change>& changes() const { return changes_; }
  std::vector<Change> Take() { return std::move(changes_); }
  std::uint64_t left_out() const { return left_out_; }

  /// Takes `work` from what may be spent on one comparison; false: that is used up.
  bool Spend(std::size_t work);
  bool is_partial() const { return is_partial_; }

 private:
  std::vector<Change> changes_;
  std::size_t breaking_ = 0, others_ = 0, bytes_ = 0;
  std::uint64_t left_out_ = 0;
  std::size_t work_left_ = 2'000'000;
  bool is_partial_ = false;
};

/// What differs between two schemas at a value and in it: the way to all changes, and nothing else.
struct SchemaDifference {
  /// A change of the value itself; of one of its members where there is a `member`.
  struct Entry {
    ChangeKind kind{};
    std::size_t number = 0;  ///< in the ChangeList
    std::string_view member{};
    bool is_seen_in_values = true;  ///< false: no value of today is touched
    /// Of a member that was not specified: by what it is judged from now on.
    std::shared_ptr<const PartRules> judge{};
    std::shared_ptr<const ChangedRules> rules{};  ///< of validations alone
    const json::Value* live_default = nullptr;
  };

  const schema::SchemaProps* live = nullptr;
  const schema::SchemaProps* proposed = nullptr;
  bool is_resource = false;  ///< apiVersion, kind and metadata stay whatever the schemas say
  std::vector<Entry> entries{};
  std::vector<std::pair<std::string_view, std::unique_ptr<SchemaDifference>>>
      members{};                             ///< by name
  std::unique_ptr<SchemaDifference> keys{};  ///< of members that neither schema names
  std::unique_ptr<SchemaDifference> items{};
};

struct SchemaPair {
  const schema::SchemaProps& live;  ///< both outlive what is found
  const schema::SchemaProps& proposed;
  bool is_all_preserved = false;  ///< where `live` says nothing anything is kept
  base::Release server = base::kNewestRelease;
};

/// Compares the schemas of custom resources: what `list` gets is of `version`. Absent where nothing
/// differs that could matter to a client or an object. Fields that come beside others, and
/// descriptions, are not told.
std::unique_ptr<SchemaDifference> CompareSchemas(const SchemaPair& schemas,
                                                 std::string_view version, ChangeList& list);

}  // namespace kube::crd
