#include "kube/base/base64.h"
#include "kube/json/json.h"
#include "tests/support/fake_api.h"
#include "tests/support/fake_object.h"

namespace test_support {

using kube::json::Value;

FakeAnswer FakeText(int code, const std::string& content_type, const std::string& body) {
  FakeAnswer answer;
  answer.status = code;
  answer.headers = {{"Cache-Control", "no-cache, private"}, {"Content-Type", content_type}};
  answer.body = body;
  return answer;
}

FakeAnswer FakeStatus(int code, const std::string& reason, const std::string& message,
                      const std::string& details, const std::string& continue_token) {
  std::string body = R"({"kind":"Status","apiVersion":"v1","metadata":{)";
  if (!continue_token.empty()) body += "\"continue\":" + Quote(continue_token);
  body += R"(},"status":"Failure","message":)" + Quote(message);
  if (!reason.empty()) body += ",\"reason\":" + Quote(reason);
  if (!details.empty()) body += ",\"details\":" + details;
  body += ",\"code\":" + std::to_string(code) + "}\n";
  return FakeText(code, "application/json", body);
}

std::string ContinueToken(long resource_version, const std::string& start) {
  std::string token =
      kube::base::EncodeBase64(R"({"v":"meta.k8s.io/v1","rv":)" + std::to_string(resource_version) +
                               ",\"start\":" + Quote(start) + "}");
  // base64.RawURLEncoding
  for (char& c : token) c = c == '+' ? '-' : c == '/' ? '_' : c;
  while (token.ends_with('=')) token.pop_back();
  return token;
}

kube::base::Result<std::pair<long, std::string>, std::string> ReadContinueToken(
    const std::string& token) {
  std::string padded = token;
  for (char& c : padded) c = c == '-' ? '+' : c == '_' ? '/' : c;
  padded.append((4 - padded.size() % 4) % 4, '=');
  const auto text = kube::base::DecodeBase64(padded);
  if (!text) return kube::base::Unexpected(text.error());
  kube::json::Document document;
  if (const auto error = document.Parse(*text)) return kube::base::Unexpected(error->message);
  const Value* version = document.root().Find("rv");
  const auto number = version ? kube::json::AsInt64(*version) : std::nullopt;
  if (!number) return kube::base::Unexpected<std::string>("no resource version");
  return std::pair<long, std::string>(*number, document.root().FindText("start"));
}

}  // namespace test_support
