#pragma once

#include "kube/schema/schema_props.h"

namespace migrate::owners {

/// Whether every object that `stored` specifies is specified by `schema` too, both of whole
/// objects; the null pointer specifies nothing. Only what types and fields say: values do not
/// count.
///
/// Where not, servers may empty managedFields with any write of an object that has an entry of that
/// version: they convert it by changing its apiVersion alone, and find fields there that the
/// version's schema does not declare (seen on kube-apiserver 1.20 and apiextensions-apiserver 1.36).
bool Holds(const kube::schema::SchemaProps* schema, const kube::schema::SchemaProps* stored);

}  // namespace migrate::owners
