// The fake API server over plain HTTP/1.1 on loopback, for transcripts of the real binary.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/json/json.h"
#include "kube/json/manifest_splitter.h"
#include "kube/yaml/yaml.h"
#include "tests/support/fake_api.h"

namespace test_support {
namespace {

constexpr char kUsage[] = R"(Usage: fake_api_server [OPTION]... FILE|FOLDER...

Serves the CRDs and custom resources of the manifests on a free port of 127.0.0.1, prints the port,
and ends when its standard input does.

  --kubeconfig FILE        writes a kubeconfig that leads here
  --log FILE               writes a line for each request: its method and target
  --release VERSION        what /version tells in the place of 1.20.2; nothing else differs
  --only-v1                serves apiextensions.k8s.io/v1 but not v1beta1
  --empty-managed-fields   a write empties managedFields that name a version which the CRD lacks
  --forbid RESOURCE        403 for a resource, e.g. widgets.demo.example.com

Requests are chosen by a part of their target, e.g. /widgets or continue=:
  --expire-page N          410 for the N-th chunk of a list, from 2
  --warn TEXT              a Warning header in every answer
  --fail TARGET=STATUS     an answer without a Status, each time
  --retry-after TARGET=N   429 with Retry-After: N, the first time
  --html TARGET            HTML in the place of the answer, each time
  --cut TARGET=BYTES       the connection is lost after so many bytes of the body, each time
  --lose TARGET            the connection is lost before the answer, each time
)";

struct Options {
  std::vector<std::string> manifests;
  std::string kubeconfig, log;
};

/// Takes "TARGET=NUMBER" apart at its last "=".
std::pair<std::string, int> SplitNumber(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  int number = 0;
  const char* end = text.data() + text.size();
  if (equals == text.npos || std::from_chars(text.data() + equals + 1, end, number).ptr != end) {
    throw std::invalid_argument(text + ": not of the form TARGET=NUMBER");
  }
  return {text.substr(0, equals), number};
}

FakeFault Always(const std::string& target) { return {.target = target, .times = 0}; }

void AddExpiry(FakeApi& api, int page) {
  api.AddFault({.target = "continue=", .first = page - 1, .before = [&api] { api.Compact(); }});
}

void AddRetryAfter(FakeApi& api, const std::string& target, int seconds) {
  api.AddFault(
      {.target = target,
       .answer = FakeText(429, "text/plain", "Too many requests, please try again later.\n"),
       .headers = {{"Retry-After", std::to_string(seconds)}}});
}

void AddRelease(FakeApi& api, const std::string& version) {
  FakeFault fault = Always("/version");
  fault.answer = FakeText(200, "application/json", "{\"gitVersion\": \"v" + version + "\"}");
  api.AddFault(std::move(fault));
}

void Apply(FakeApi& api, const std::string& flag, const std::string& value) {
  if (flag == "--forbid") return api.Forbid(value);
  if (flag == "--release") return AddRelease(api, value);
  if (flag == "--expire-page") return AddExpiry(api, std::stoi(value));
  FakeFault fault = Always(flag == "--warn" ? "" : value);
  if (flag == "--warn") {
    fault.headers = {{"Warning", "299 - \"" + value + "\""}};
  } else if (flag == "--html") {
    fault.answer = FakeText(200, "text/html", "<html><body>Sign in</body></html>\n");
  } else if (flag == "--lose") {
    fault.lost = true;
  } else {
    const auto [target, number] = SplitNumber(value);
    fault.target = target;
    if (flag == "--retry-after") return AddRetryAfter(api, target, number);
    if (flag == "--fail") fault.answer = FakeText(number, "text/plain", "");
    if (flag == "--cut") fault.lost_after = static_cast<std::size_t>(number);
  }
  api.AddFault(std::move(fault));
}

Options ReadOptions(FakeApi& api, int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--")) {
      options.manifests.push_back(word);
    } else if (word == "--only-v1") {
      api.ServeCrdVersions({"v1"});
    } else if (word == "--empty-managed-fields") {
      api.EmptyManagedFields();
    } else if (i + 1 == argc) {
      throw std::invalid_argument(word + " needs a value");
    } else if (word == "--kubeconfig") {
      options.kubeconfig = argv[++i];
    } else if (word == "--log") {
      options.log = argv[++i];
    } else if (std::string_view(kUsage).find("  " + word + " ") != std::string_view::npos) {
      Apply(api, word, argv[++i]);
    } else {
      throw std::invalid_argument("unknown option " + word);
    }
  }
  return options;
}

/// Parses manifests as kubectl reads files. CRDs go to the server at once, for the objects of other
/// files to find them.
class Loader : public kube::json::ManifestSplitter::Sink {
 public:
  explicit Loader(FakeApi& api) : api_(api) {}

  void Read(const std::filesystem::path& path) {
    if (std::filesystem::is_directory(path)) {
      std::vector<std::filesystem::path> files(std::filesystem::directory_iterator{path}, {});
      std::sort(files.begin(), files.end());
      for (const auto& file : files) Read(file);
      return;
    }
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    kube::json::ManifestSplitter splitter(*this);
    if (!file || splitter.Push(text.str()) || splitter.Finish()) {
      throw std::invalid_argument("cannot read " + path.string());
    }
  }
  void OnManifest(const kube::json::ManifestSplitter::Manifest& manifest) override {
    kube::json::Document document;
    const bool bad = manifest.format == kube::json::ManifestSplitter::Format::kJson
                         ? document.Parse(manifest.text).has_value()
                         : kube::yaml::Parse(manifest.text, 1, document).has_value();
    if (bad) throw std::invalid_argument("a manifest cannot be parsed");
    Take(document.root());
  }
  void AddObjects() {
    for (const std::string& object : objects_) api_.Add(object);
  }

 private:
  void Take(const kube::json::Value& value) {
    if (const auto* items = value.Find("items", kube::json::Type::kArray)) {
      for (const kube::json::Value& item : items->elements()) Take(item);
    } else if (value.FindText("kind") == "CustomResourceDefinition") {
      api_.Add(value);
    } else if (value.is_object()) {
      objects_.push_back(kube::json::Print(value, kube::json::KeyOrder::kAsWritten));
    }
  }

  FakeApi& api_;
  std::vector<std::string> objects_;
};

struct Connection {
  std::string received, to_send;
  bool ends = false;  // once all is sent
};

class HttpServer {
 public:
  HttpServer(FakeApi& api, const std::string& log) : api_(api) {
    if (!log.empty()) log_.open(log);
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_, any, size) != 0 || listen(listener_, 64) != 0 ||
        getsockname(listener_, any, &size) != 0) {
      throw std::runtime_error("cannot listen on 127.0.0.1");
    }
    port_ = ntohs(address.sin_port);
  }
  int port() const { return port_; }

  void RunUntilStdinEnds() {
    for (;;) {
      std::vector<pollfd> waits = {{STDIN_FILENO, POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const auto& [fd, connection] : connections_) {
        waits.push_back({fd, static_cast<short>(connection.to_send.empty() ? POLLIN : POLLOUT), 0});
      }
      if (poll(waits.data(), waits.size(), -1) < 0) continue;
      if (waits[0].revents != 0 && !ReadStdin()) return;
      if (waits[1].revents != 0) connections_[accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)];
      for (std::size_t i = 2; i < waits.size(); ++i) {
        if (waits[i].revents != 0) Serve(waits[i].fd, connections_.at(waits[i].fd));
      }
    }
  }

 private:
  static bool ReadStdin() {
    char ignored[256];
    return read(STDIN_FILENO, ignored, sizeof ignored) > 0;
  }

  void Serve(int fd, Connection& connection) {
    const bool open = connection.to_send.empty() ? Receive(fd, connection) : Send(fd, connection);
    if (open && !(connection.ends && connection.to_send.empty())) return;
    close(fd);
    connections_.erase(fd);
  }

  bool Receive(int fd, Connection& connection) {
    char buffer[16384];
    const ssize_t count = recv(fd, buffer, sizeof buffer, 0);
    if (count <= 0) return false;
    connection.received.append(buffer, static_cast<std::size_t>(count));
    while (!connection.ends && AnswerNext(connection)) {
    }
    return true;
  }

  static bool Send(int fd, Connection& connection) {
    const ssize_t count =
        send(fd, connection.to_send.data(), connection.to_send.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    connection.to_send.erase(0, static_cast<std::size_t>(count));
    return true;
  }

  /// False where no request is complete.
  bool AnswerNext(Connection& connection) {
    const std::size_t end = connection.received.find("\r\n\r\n");
    if (end == connection.received.npos) return false;
    kube::client::HttpRequest request = ParseHead(connection.received.substr(0, end));
    const kube::client::ResponseHead head{0, request.headers};
    const std::string* length = head.Find("Content-Length");
    const std::size_t size = end + 4 + (length ? std::stoul(*length) : 0);
    if (connection.received.size() < size) return false;
    request.body = connection.received.substr(end + 4, size - end - 4);
    connection.received.erase(0, size);
    if (log_.is_open()) log_ << request.method << ' ' << request.target << std::endl;
    Put(AnswerTo(request), connection);
    return true;
  }

  static kube::client::HttpRequest ParseHead(const std::string& text) {
    kube::client::HttpRequest request;
    std::istringstream lines(text);
    lines >> request.method >> request.target;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      if (line.ends_with('\r')) line.pop_back();
      const std::size_t colon = line.find(": ");
      if (colon != line.npos) {
        request.headers.push_back({line.substr(0, colon), line.substr(colon + 2)});
      }
    }
    return request;
  }

  FakeAnswer AnswerTo(const kube::client::HttpRequest& request) {
    try {
      return api_.Answer(request, api_.Meet(request));
    } catch (const std::logic_error& error) {
      std::cerr << "fake_api_server: " << error.what() << std::endl;
      return FakeText(501, "text/plain", error.what());
    }
  }

  static void Put(const FakeAnswer& answer, Connection& connection) {
    connection.ends = answer.lost || answer.lost_after;
    if (answer.lost) return;
    std::string& out = connection.to_send;
    out += "HTTP/1.1 " + std::to_string(answer.status) + " -\r\n";
    for (const kube::client::HttpHeader& header : answer.headers) {
      out += header.name + ": " + header.value + "\r\n";
    }
    out += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n\r\n";
    out += answer.body.substr(0, answer.lost_after.value_or(answer.body.size()));
  }

  FakeApi& api_;
  std::ofstream log_;
  int listener_ = -1;
  int port_ = 0;
  std::map<int, Connection> connections_;
};

void WriteKubeconfig(const std::string& path, int port) {
  std::ofstream file(path);
  file << "apiVersion: v1\nkind: Config\ncurrent-context: fake\n"
       << "clusters:\n- name: fake\n  cluster:\n    server: http://127.0.0.1:" << port << "\n"
       << "users:\n- name: alice\n  user: {}\n"
       << "contexts:\n- name: fake\n  context: {cluster: fake, user: alice}\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void Run(int argc, char** argv) {
  FakeApi api;
  api.ServeLeases();
  const Options options = ReadOptions(api, argc, argv);
  Loader loader(api);
  for (const std::string& path : options.manifests) loader.Read(path);
  loader.AddObjects();
  HttpServer server(api, options.log);
  if (!options.kubeconfig.empty()) WriteKubeconfig(options.kubeconfig, server.port());
  std::cout << server.port() << std::endl;
  server.RunUntilStdinEnds();
}

}  // namespace
}  // namespace test_support

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--help") {
    std::cout << test_support::kUsage;
    return 0;
  }
  try {
    test_support::Run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "fake_api_server: " << error.what() << "\n";
    return 2;
  }
  return 0;
}
