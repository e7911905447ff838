#pragma once

#include <string>
#include <vector>

#include "kube/json/json.h"
#include "tests/support/fake_api.h"

namespace test_support {

/// The groups of these CRDs, as /apis tells them: an APIGroupList.
FakeAnswer FakeGroups(const std::vector<const kube::json::Value*>& crds);

/// One of them, as /apis/GROUP tells it; 404 where no CRD is of it.
FakeAnswer FakeGroup(const std::vector<const kube::json::Value*>& crds, const std::string& group);

/// What they serve in one version, an APIResourceList; 404 where none does.
FakeAnswer FakeResources(const std::vector<const kube::json::Value*>& crds,
                         const std::string& group, const std::string& version);

/// The same of the group without a name: namespaces are all that it has.
FakeAnswer FakeCoreResources();

}  // namespace test_support
