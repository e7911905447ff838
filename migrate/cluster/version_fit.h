#pragma once

#include "kube/json/json.h"
#include "kube/schema/schema_props.h"

/// Which versions of a CRD can hold what is stored. With any write of an object servers convert it,
/// as it was and as it will be, to each version that its managedFields name, by changing its
/// apiVersion alone, and read it by that version's schema (structured-merge-diff, AsTyped). Where
/// that fails they empty managedFields (seen on kube-apiserver 1.20 and apiextensions-apiserver
/// 1.36; server-side apply fails instead).
namespace migrate::cluster {

/// Whether every object that `stored` specifies is specified by `schema` too, both of whole
/// objects; the null pointer specifies nothing. Only what types, fields and kinds of lists say:
/// values do not count.
bool Holds(const kube::schema::SchemaProps* schema, const kube::schema::SchemaProps* stored);

/// The same for one object, as a server shows it: whether that server can read it by `schema`, that
/// of the whole object in another version. False where the object has a field that the schema
/// does not specify, a value of another type, or an element of a list of type map or set that is no
/// such element. The null pointer holds every object. Below kMostLevels (field_fit.h): false.
bool HoldsObject(const kube::schema::SchemaProps* schema, const kube::json::Value& object);

}  // namespace migrate::cluster
