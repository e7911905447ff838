#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client/session.h"
#include "migrate/migration/lease_keeper.h"

namespace migrate::migration {

/// Where the Leases of all runs are, unless they are told otherwise: a place that does not depend
/// on who runs them, that no cluster can be without, and in which a right to Leases
/// is none over the cluster itself.
inline constexpr std::string_view kLeaseNamespace = "default";

/// What runs over one CRD share in the cluster is of this name:
/// "kubectl-prune-widgets.demo.example.com-UID", a DNS subdomain. A CRD that was deleted and made
/// anew has another one. Of a long name of a CRD the end is left out.
std::string NameOfCrd(const std::string& crd_name, const std::string& crd_uid);

/// How the runs of this program let others know of them.
struct LeaseOptions {
  Leases* leases = nullptr;  ///< the null pointer: they do not
  std::string namespace_{kLeaseNamespace};
  Holder self{};
  std::chrono::nanoseconds wait{};  ///< as that of CrdLease
};

/// What a run over a CRD asks for. `earlier` are identities of runs that have ended, as the disk
/// tells: only those of the same machine count, as several may share a disk.
LeaseRequest RequestOf(const LeaseOptions& options, const std::string& crd_name,
                       const std::string& crd_uid, const std::vector<std::string>& earlier);

/// How a run over one CRD got on with others when it wanted to begin.
struct LeaseStart {
  enum class Step {
    kOurs,         ///< nobody else is at it, nor will be
    kUnknown,      ///< others would not be seen: `message` is a warning, and the run goes on
    kHeld,         ///< somebody else is at it: `message` is the error, and the next step
    kInterrupted,  ///< the session was stopped
  };
  Step step = Step::kOurs;
  std::string message;
  bool has_waited = false;  ///< for somebody else, who may have changed everything
};

/// The Lease by which runs over one CRD, on whatever machines, know of each other. It is given back
/// at the end.
class CrdLease {
 public:
  using LogFunction = std::function<void(const std::string& line)>;

  /// `wait`: how long to wait for a run that is seen to be alive; one that is not is waited for
  /// until its Lease expires. All must outlive it.
  CrdLease(Leases& leases, LeaseRequest request, std::chrono::nanoseconds wait,
           const kube::client::Session& session, LogFunction tell);
  CrdLease(const CrdLease&) = delete;
  CrdLease& operator=(const CrdLease&) = delete;
  /// GiveBack().
  ~CrdLease();

  /// Waits until it is ours, or it is known that it will not be. Others work meanwhile
  /// (WhileOthersWork). To be called once.
  LeaseStart Take();

  /// Whether writing may go on: waits while that is doubtful, for two minutes at most. A text: it
  /// is lost, and why; it stays so. Absent: it is ours, or was never had for lack of rights; also
  /// where the session is stopped. To be asked before whatever others must not do too, and at
  /// least every few seconds.
  std::optional<std::string> CheckLease();

  /// What only its holder may do has ended.
  void GiveBack();

 private:
  LeaseView Look() { return leases_.Look(*number_); }
  LeaseStart WaitForOther(const LeaseView& first);
  bool IsToEnd(const LeaseView& first, const LeaseView& now) const;
  std::string DescribeOther(const kube::client::LeaseRecord& record) const;
  LeaseStart StartOf(const LeaseView& view) const;

  Leases& leases_;
  const LeaseRequest request_;
  const std::string lease_text_;  // how lines name it
  const std::chrono::nanoseconds wait_;
  const kube::client::Session session_;
  const LogFunction tell_;
  std::optional<Leases::Number> number_;  // while it is sought or held
  bool is_had_ = false;
  std::optional<std::string> loss_;
};

}  // namespace migrate::migration
