#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube/base/result.h"
#include "kube/crd/crd.h"
#include "migrate/cluster/manifest_reader.h"
#include "migrate/report/check_report.h"
#include "migrate/report/field_tally.h"

namespace migrate::cluster {

/// The error of a run over files that hold none.
inline constexpr std::string_view kNoCrdsFound =
    "no CustomResourceDefinitions found; name the files that hold them by -f";

/// The CRD that `object` is (kube::crd::IsCrd), as a copy that outlives the call that hands it out.
/// The error is the report of a CRD that cannot be read, with its name as far as there is one;
/// `reader` is told of it as well. May be called by handlers.
kube::base::Result<kube::crd::Crd, report::CrdReport> ReadManifestCrd(const ManifestObject& object,
                                                                      ManifestReader& reader);

/// A CRD of a file that is to replace the one of the same name on a server, or to be created.
struct Proposal {
  report::Place place;
  std::string source;  ///< the file
  kube::crd::Crd crd;
};

/// A custom resource of a file.
struct ProposedObject {
  report::Place place;
  std::string source;  ///< the file
  std::string json;
};

struct Proposals {
  std::vector<Proposal> crds;             ///< in the order of reading; names may come twice
  std::vector<report::CrdReport> broken;  ///< CRDs that cannot be read, which `errors` tell of too
  std::vector<std::string> errors;        ///< "file:line:column: why", in the order of reading
  std::vector<std::string> hints;         ///< as report::CheckReport::file_hints
  /// Custom resources, in the order of reading, where they are to be kept: what is neither of a
  /// group without a dot, as Pods and Deployments are, nor of *.k8s.io. Nothing is said of those.
  std::vector<ProposedObject> objects;
  /// Of these, what is not to be kept, or would take more than 256 MiB.
  std::uint64_t objects_left_out = 0;
  /// There is something that is neither a CRD nor may be a custom resource.
  bool has_others = false;

  /// True if the files can be read and hold no CRD; as a rule a pipeline broke that should have
  /// given some.
  bool AreNone() const { return crds.empty() && broken.empty() && errors.empty(); }
};

enum class KeepObjects : std::uint8_t { kNo, kYes };

/// Reads the CRDs in the files of -f. Throws kube::base::Error for a path that does not exist; what
/// else is wrong is in the result.
Proposals ReadProposals(const std::vector<std::string>& filenames, bool recursive,
                        KeepObjects keep_objects = KeepObjects::kNo);

}  // namespace migrate::cluster
