#pragma once

#include <string>
#include <string_view>

#include "kube/json/json.h"

namespace plugin::report {

/// Appends `text` as it is read: it can be neither markup nor the end of an attribute, and what
/// could steer a terminal or turn the writing around is shown and not sent (terminal.h).
void AppendHtml(std::string& out, std::string_view text);
std::string Html(std::string_view text);

/// `value` for the inside of a <script>: JSON without `<`, `>` and `&`, so that nothing in it ends
/// the element, and with an escape for each character that AppendHtml would show.
std::string ScriptJson(const kube::json::Value& value);

}  // namespace plugin::report
