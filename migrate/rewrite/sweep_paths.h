#pragma once

#include <string>

#include "migrate/cluster/listed_object.h"
#include "migrate/rewrite/sweep_target.h"

namespace migrate::rewrite {

inline constexpr char kMetadataAccept[] =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
/// v1beta1 for servers before 1.15.
inline constexpr char kMetadataListAccept[] =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1,application/json";

/// Path and selectors of the list of `target`.
std::string ListPath(const SweepTarget& target);
/// One object as the API server words it: `widgets.demo.example.com "a"`.
std::string ObjectText(const SweepTarget& target, const cluster::ListedObject& object);
/// Path of one object.
std::string ObjectPath(const SweepTarget& target, const cluster::ListedObject& object);

}  // namespace migrate::rewrite
