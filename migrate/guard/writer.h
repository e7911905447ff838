#pragma once

#include <string_view>

#include "kube/admission/review.h"

namespace migrate::guard {

/// Who made a request. Borrows from the review.
struct Writer {
  std::string_view user;
  /// The field manager by which the API server notes the request in metadata.managedFields; empty
  /// if it is not known.
  std::string_view manager;
};

/// The user is proven by the API server. The manager is what the client calls itself: that of its
/// options (fieldManager), or, where it gives none, that of the entry in managedFields which the
/// API server has made for the request already (it is the start of the client's User-Agent, which a
/// webhook is not shown: the header that it gets is the API server's own).
///
/// An API server of 1.20 shows the old object without managedFields; the latest entry is taken for
/// the request's there. Of several managers within one second none is named.
Writer WriterOf(const kube::admission::Review& review);

/// True if the request would store what is stored already, as a storage migration asks for: nobody
/// writes anything by it, so there is nothing to say and nothing to change. managedFields do not
/// count, as not every API server shows those of the old object.
bool IsRewrite(const kube::admission::Review& review);

/// True if a `migrate` of ours made the request, as far as it says itself. Whoever names himself so
/// is believed: good enough not to count it among the writers that people look for, and not to
/// answer a mutation by another one; not good enough to let it pass.
bool IsOfMigration(const Writer& writer);

}  // namespace migrate::guard
