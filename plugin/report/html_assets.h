#pragma once

#include <string_view>

/// What every HTML page has in it, whatever it tells.
namespace plugin::report {

extern const std::string_view kHtmlStyle, kHtmlScript;

/// Of the two as the page's Content-Security-Policy names them: 'sha256-...'.
/// tests/cli/report_pages_test.py tells what they have to be.
extern const std::string_view kHtmlStyleHash, kHtmlScriptHash;

}  // namespace plugin::report
