// URLs (apiserver/pkg/cel/library/urls.go).
#include "kube/cel/function.h"
#include "kube/cel/opaque.h"
#include "kube/go/go_url.h"

namespace kube::cel {
namespace {

// The server's vectors are those of a library that takes more than one colon in a host.
constexpr go::HostColons kColons = go::HostColons::kAny;

const UrlValue& Url(const Value& value) { return static_cast<const UrlValue&>(*value.opaque); }

Value ParseUrl(Memory& memory, Args args) {
  constexpr std::string_view kPrefix = "URL parse error during conversion from string: ";
  const auto request = go::ParseRequestUri(args[0].text(), kColons);
  if (!request) return memory.Error(std::string(kPrefix) + request.error());
  const auto url = go::ParseUrl(args[0].text(), kColons);
  if (!url) return memory.Error(std::string(kPrefix) + url.error());
  auto* value = memory.Take<UrlValue>();
  value->kind = Opaque::Kind::kUrl;
  value->scheme = memory.Copy(url->scheme);
  value->host = memory.Copy(url->host);
  value->escaped_path = memory.Copy(url->escaped_path);
  value->query = memory.Copy(url->raw_query);
  std::string text = url->scheme.empty() ? "" : url->scheme + ":";
  if (url->user || !url->host.empty()) {
    text += "//";
    if (url->user) text += *url->user + "@";
    text += url->host;
  }
  text += url->escaped_path;
  if (!url->raw_query.empty()) text += "?" + url->raw_query;
  if (!url->fragment.empty()) text += "#" + url->fragment;
  value->text = memory.Copy(text);
  return memory.OfOpaque(value);
}

Value IsUrl(Memory& /*memory*/, Args args) {
  return Value::Bool(go::ParseRequestUri(args[0].text(), kColons).has_value());
}

Value GetScheme(Memory& /*memory*/, Args args) { return Value::String(Url(args[0]).scheme); }
Value GetHost(Memory& /*memory*/, Args args) { return Value::String(Url(args[0]).host); }
Value GetPath(Memory& /*memory*/, Args args) { return Value::String(Url(args[0]).escaped_path); }

struct HostPort {
  std::string_view host;
  std::string_view port;
};

HostPort SplitHost(std::string_view host) {
  HostPort parts{host, {}};
  const std::size_t colon = host.rfind(':');
  const std::size_t bracket = host.rfind(']');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || bracket < colon)) {
    parts = {host.substr(0, colon), host.substr(colon + 1)};
  }
  if (parts.host.starts_with('[') && parts.host.ends_with(']')) {
    parts.host = parts.host.substr(1, parts.host.size() - 2);
  }
  return parts;
}

Value GetHostname(Memory& /*memory*/, Args args) {
  return Value::String(SplitHost(Url(args[0]).host).host);
}
Value GetPort(Memory& /*memory*/, Args args) {
  return Value::String(SplitHost(Url(args[0]).host).port);
}

/// url.Values: what cannot be read is left out.
Value GetQuery(Memory& memory, Args args) {
  const Value map = memory.NewMap();
  std::string_view rest = Url(args[0]).query;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    if (pair.empty() || pair.find(';') != std::string_view::npos) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto key = go::UnescapeQuery(pair.substr(0, equals));
    const auto value = go::UnescapeQuery(pair.substr(std::min(equals + 1, pair.size())));
    if (!key || !value) continue;
    const Value key_value = memory.String(*key);
    Value list = MapFind(memory, map, key_value);
    if (list.kind == Value::Kind::kUnset) {
      list = memory.NewList();
      memory.Set(map, key_value, list);
    }
    memory.Append(list, memory.String(*value));
  }
  return map;
}

}  // namespace

std::span<const Overload> UrlLibrary() {
  static const Overload rows[] = {
      {"url", "string_to_url", false, "string", "kubernetes.URL", ParseUrl, EstimateTransform,
       CostTraversal, true},
      {"getScheme", "url_get_scheme", true, "kubernetes.URL", "string", GetScheme},
      {"getHost", "url_get_host", true, "kubernetes.URL", "string", GetHost},
      {"getHostname", "url_get_hostname", true, "kubernetes.URL", "string", GetHostname},
      {"getPort", "url_get_port", true, "kubernetes.URL", "string", GetPort},
      {"getEscapedPath", "url_get_escaped_path", true, "kubernetes.URL", "string", GetPath},
      {"getQuery", "url_get_query", true, "kubernetes.URL", "map(string, list(string))", GetQuery},
      {"isURL", "is_url_string", false, "string", "bool", IsUrl},
  };
  return rows;
}

}  // namespace kube::cel
