#pragma once

#include <optional>
#include <string>

#include "kube/base/result.h"
#include "kube/client/session.h"
#include "migrate/shards/shard_record.h"

namespace migrate::shards {

/// The ConfigMap by which the shards of a migration share what they know.
struct RecordPlace {
  std::string namespace_, name;   ///< lease::NameOfCrd
  std::string crd_name, crd_uid;  ///< the CRD with which it goes
};

/// What was there at one moment.
struct StoredRecord {
  std::string resource_version;         ///< empty: there is no ConfigMap
  std::optional<ShardRecord> record{};  ///< absent: there is none in it
};

/// How a write ended.
enum class Stored {
  kYes,
  kOvertaken,  ///< somebody else has written since it was read, or there is none any more
};

/// Where the record is. Each write is for what was read alone: of several shards that are at it one
/// gets through. Errors are for people, with what to do.
class Records {
 public:
  virtual ~Records() = default;
  virtual kube::base::Result<StoredRecord, std::string> Read() const = 0;
  /// With an error it is not known whether it was done.
  virtual kube::base::Result<Stored, std::string> Write(const ShardRecord& record,
                                                        const StoredRecord& read) const = 0;
};

/// The same in the cluster. Where an answer is lost the ConfigMap tells whether it was done.
class RecordStore : public Records {
 public:
  /// What `session` refers to must outlive it.
  RecordStore(RecordPlace place, const kube::client::Session& session);

  /// It is an error, too, where the ConfigMap says what cannot be understood: it is nobody's to
  /// replace.
  kube::base::Result<StoredRecord, std::string> Read() const override;
  /// Tries for half a minute where the server has trouble; where the session is stopped what is
  /// under way ends within ten seconds.
  kube::base::Result<Stored, std::string> Write(const ShardRecord& record,
                                                const StoredRecord& read) const override;

 private:
  enum class Tried { kDone, kOvertaken, kUnknown };

  kube::base::Result<Tried, std::string> TryWrite(const std::string& text,
                                                  const StoredRecord& read) const;
  std::string BodyOf(const std::string& text, const StoredRecord& read) const;
  std::string ListTarget() const;
  std::string Target() const;
  std::string Problem(const std::string& verb, const kube::client::CallError& error) const;

  const RecordPlace place_;
  const kube::client::Session session_;
};

}  // namespace migrate::shards
