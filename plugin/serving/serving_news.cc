#include "plugin/serving/serving_news.h"

#include "plugin/terminal/output.h"
#include "plugin/terminal/terminal.h"

namespace plugin::serving {

void Tell(const std::string& line) { terminal::WriteStderr(terminal::Printable(line) + "\n"); }

void PrintOnce(const std::string& configurations) {
  terminal::WriteStdout(configurations);
  terminal::EndStdout();
  Tell(
      "note: the configurations are for this run: it neither changes nor removes them, and the "
      "authority of a self-signed certificate ends with it");
}

}  // namespace plugin::serving
