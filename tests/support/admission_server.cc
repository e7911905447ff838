// The example handlers of docs/ADMISSION.md as a program, for trying them and for tests with a real
// API server.
#include <charconv>
#include <exception>
#include <iostream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kube/admission/configuration.h"
#include "kube/admission/endpoint.h"
#include "kube/base/clock.h"
#include "kube/base/file_text.h"
#include "kube/base/result.h"
#include "tests/kube/admission/example_handlers.h"

// Where there is no server yet the other commands are of use all the same.
#if __has_include("kube/serve/server.h")
#include "kube/serve/server.h"
#define HAS_SERVER 1
#endif

namespace {

using namespace kube::admission;
using Arguments = std::vector<std::string>;

constexpr char kUsage[] = R"(Usage:
  admission_server configuration NAME URL [CA-FILE]   prints both configurations as YAML
  admission_server answer TARGET                      answers the review on standard input
  admission_server serve PORT [CERT-FILE KEY-FILE [CLIENT-CA-FILE]]
                                                      serves on 127.0.0.1, without TLS where no files
                                                      are given; who asks may show a certificate of
                                                      CLIENT-CA-FILE; prints the port, and ends when
                                                      its standard input does
)";

/// What is left of standard input.
std::string ReadInput() { return {std::istreambuf_iterator<char>(std::cin), {}}; }

std::string ReadFile(const std::string& path) {
  auto text = kube::base::ReadFileText(path);
  if (!text) throw kube::base::Error(text.error().message);
  return *std::move(text);
}

int PrintUsage() {
  std::cerr << kUsage;
  return 2;
}

int PrintConfiguration(const Arguments& arguments) {
  if (arguments.size() < 2 || arguments.size() > 3) return PrintUsage();
  Reach reach{.url = arguments[1]};
  if (arguments.size() == 3) reach.ca_bundle = ReadFile(arguments[2]);
  const Handlers handlers = example::ExampleHandlers();
  const auto problems = ConfigurationProblems(handlers, arguments[0], reach);
  for (const std::string& problem : problems) std::cerr << "error: " << problem << "\n";
  if (!problems.empty()) return 1;
  std::cout << PrintConfigurations(handlers, arguments[0], reach);
  return 0;
}

int AnswerInput(const Arguments& arguments, Endpoint& endpoint) {
  if (arguments.size() != 1) return PrintUsage();
  kube::serve::Request request;
  request.method = "POST";
  request.target = arguments[0];
  request.body = ReadInput();
  const kube::serve::Response response = endpoint.Answer(request);
  std::cout << response.body;
  return response.status == 200 ? 0 : 1;
}

#ifdef HAS_SERVER
int Serve(const Arguments& arguments, Endpoint& endpoint) {
  if (arguments.size() != 1 && arguments.size() != 3 && arguments.size() != 4) return PrintUsage();
  kube::serve::ServerOptions options;
  options.address = "127.0.0.1";
  options.request.body_bytes = kMostReviewBytes;
  options.weigh = Endpoint::Weigh;
  const std::string& port = arguments[0];
  if (std::from_chars(port.data(), port.data() + port.size(), options.port).ec != std::errc()) {
    return PrintUsage();
  }
  if (arguments.size() >= 3) {
    options.tls.emplace();
    options.tls->certificate_pem = ReadFile(arguments[1]);
    options.tls->key_pem = ReadFile(arguments[2]);
  }
  if (arguments.size() == 4) {
    options.tls->client_certificates = kube::serve::ClientCertificates::kOptional;
    options.tls->client_ca_pem = ReadFile(arguments[3]);
  }
  kube::serve::Server server(std::move(options), endpoint.answerer());
  endpoint.SetReady(true);
  std::cout << server.port() << std::endl;
  std::cin.ignore(std::numeric_limits<std::streamsize>::max());
  return 0;
}
#endif

int Run(const std::string& command, const Arguments& arguments) {
  const kube::base::SystemClock clock;
  const Handlers handlers = example::ExampleHandlers();
  Endpoint endpoint(handlers, clock);
  if (command == "configuration") return PrintConfiguration(arguments);
  if (command == "answer") return AnswerInput(arguments, endpoint);
#ifdef HAS_SERVER
  if (command == "serve") return Serve(arguments, endpoint);
#endif
  return PrintUsage();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return PrintUsage();
  try {
    return Run(argv[1], Arguments(argv + 2, argv + argc));
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
}
