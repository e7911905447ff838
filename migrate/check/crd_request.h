#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kube/base/result.h"
#include "kube/client/client.h"
#include "kube/crd/crd.h"

/// Single CRDs of a server, by their target: ".../customresourcedefinitions/NAME". Each waits for
/// its answer, and throws what Client::Poll throws.
namespace migrate::check {

/// Reads a CRD. An answer that is none is a CallError too, and so is that the run is to be stopped.
kube::base::Result<kube::crd::Crd, kube::client::CallError> GetCrd(kube::client::Client& client,
                                                                   const std::string& target);

/// Reads the metadata of a CRD alone, where the server gives it so: its spec may be half a
/// megabyte.
kube::base::Result<std::unique_ptr<kube::json::Document>, kube::client::CallError> GetCrdMetadata(
    kube::client::Client& client, const std::string& target);

/// Sends a merge patch, and lets it end for ten seconds where the run is to be stopped, so that it
/// is known whether it was done. `target` may name /status, and hold a query.
kube::base::Result<kube::crd::Crd, kube::client::CallError> PatchCrd(kube::client::Client& client,
                                                                     const std::string& target,
                                                                     const std::string& body);

/// What turns pruning on and nothing else.
inline constexpr char kTurnPruningOn[] = R"({"spec":{"preserveUnknownFields":false}})";

/// The same with `patch`, an object that is kTurnPruningOn or does that among other things, where
/// the CRD still has this resource version.
kube::base::Result<kube::crd::Crd, kube::client::CallError> PatchPruningOn(
    kube::client::Client& client, const std::string& target, std::string_view patch,
    const std::string& resource_version, bool dry_run);

}  // namespace migrate::check
