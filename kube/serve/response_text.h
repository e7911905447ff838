#pragma once

#include <string>
#include <string_view>

#include "kube/serve/message.h"

namespace kube::serve {

/// What to do with a connection behind an answer, as its head tells.
enum class AfterAnswer { kKeep, kClose };

/// An answer as it goes over the wire, HTTP/1.1: with Content-Length, and without the body where
/// `method` is HEAD or the status has none (1xx, 204, 304).
std::string ResponseText(const Response& response, std::string_view method, AfterAnswer after);

/// A line of text as an answer, for what no Answerer was asked.
Response PlainAnswer(int status, std::string_view line);

}  // namespace kube::serve
