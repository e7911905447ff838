#pragma once

#include <string>

#include "kube/client/client.h"

namespace migrate::populate {

/// Why a call brought nothing, without what kubectl puts before the server's own words.
inline const std::string& WordsOf(const kube::client::CallError& error) {
  return error.status ? error.status->message : error.message;
}

}  // namespace migrate::populate
