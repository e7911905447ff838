#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/json/json.h"
#include "migrate/populate/apply_set.h"
#include "migrate/populate/namespace_template.h"
#include "migrate/populate/target_namespace.h"

namespace migrate::populate {

/// True for kinds whose objects are in no namespace.
using IsClusterScoped = std::function<bool(const GroupKind& type)>;

/// An object that a namespace is to have.
struct WantedObject {
  ObjectKey key;
  std::string template_name;
  kube::json::Value value;  ///< as it is to be applied
};

/// An object of a template that a namespace cannot have. Where it has one of that key, that stays
/// as it is.
struct RefusedObject {
  ObjectKey key;
  std::string template_name;
  std::string why;  ///< e.g. `it names another namespace, "b"`
};

/// An object of a template in whose place one of a later template, or a later one of the same,
/// comes.
struct ReplacedObject {
  ObjectKey key;
  std::string template_name;
  std::string by;  ///< name of the later template
};

/// An object of a template that is left as it is, whatever it is: a later template that selects the
/// namespace has it too, and is left alone, or could not have it.
struct HeldObject {
  ObjectKey key;
  std::string template_name;
  std::string by;            ///< name of the later template
  bool is_disabled = false;  ///< the later template; else it, or its object, was refused
};

/// What is to be told of one, e.g. `ConfigMap "a" of the template x is replaced by that of y`.
std::string Describe(const ReplacedObject& object);
std::string Describe(const HeldObject& object);

/// What a namespace is to have.
struct Expansion {
  enum class Standing : std::uint8_t {
    kPopulated,
    kOptedOut,  ///< by its label or annotation
    kSystem,    ///< kube-system
  };

  /// Of a namespace that is not kPopulated nothing is said below: what it has stays as it is.
  Standing standing = Standing::kPopulated;
  /// By the names of the templates, then in the order of the template; each key once.
  std::vector<WantedObject> objects{};
  std::vector<RefusedObject> refused{};
  std::vector<ReplacedObject> replaced{};
  std::vector<HeldObject> held{};
  /// Templates that select the namespace, sorted; those that are left alone are not among them.
  std::vector<std::string> templates{};
  /// Names of templates that are left alone, whether they select it or not, sorted: what was made
  /// of them stays as it is.
  std::vector<std::string> left_alone{};
};

/// Why nothing is done in a namespace; empty for one that is kPopulated.
std::string DescribeStanding(std::string_view name, Expansion::Standing standing);
/// Why what was made of a disabled template stays.
std::string DescribeDisabled(std::string_view template_name);

/// Finds what `target` is to have by `templates`, each of another name, whatever their order. What
/// is of none of the objects, refused or held, and of no template that is left alone, it is not to
/// have.
///
/// An object gets the namespace, the label of its template's name, and that of its template's
/// ApplySet; variables have their values (substitution.h). Refused is one that is in no namespace
/// or in another, and a list, whose objects nobody would look at; these take no other one's place.
/// Refused is also one whose variables are not all known, one with what only the server sets
/// (resourceVersion), and one that says itself of which ApplySet it is: where it would have come,
/// no earlier one comes, as it may allow what the later one forbids.
///
/// Values borrow from `templates` and from `arena`.
Expansion Expand(const TargetNamespace& target, const std::vector<NamespaceTemplate>& templates,
                 const IsClusterScoped& is_cluster_scoped, kube::json::Arena& arena);

}  // namespace migrate::populate
