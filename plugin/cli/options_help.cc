#include "plugin/cli/help_texts.h"

namespace plugin::cli {

constexpr std::string_view kOptions =
    R"(The following options can be passed to any command:

    --as='':
        Username to impersonate for the operation. User could be a regular user or a service account
        in a namespace.

    --as-group=[]:
        Group to impersonate for the operation, this flag can be repeated to specify multiple
        groups.

    --as-uid='':
        UID to impersonate for the operation.

    --as-user-extra=[]:
        Extra of the user to impersonate, as key=value; can be repeated, for one key too.

    --cache-dir='':
        Taken for kubectl's sake: no cache is kept.

    --certificate-authority='':
        Path to a cert file for the certificate authority.

    --client-certificate='':
        Path to a client certificate file for TLS.

    --client-key='':
        Path to a client key file for TLS.

    --cluster='':
        The name of the kubeconfig cluster to use.

    --context='':
        The name of the kubeconfig context to use.

    --disable-compression=false:
        If true, opt-out of response compression for all requests to the server.

    --insecure-skip-tls-verify=false:
        If true, the server's certificate will not be checked for validity. This will make your
        HTTPS connections insecure.

    --kubeconfig='':
        Path to the kubeconfig file to use for CLI requests.

    --log-flush-frequency=5s:
        Taken for kubectl's sake: what is logged is written at once.

    --match-server-version=false:
        Require the server to be of the version whose rules this program knows (1.36).

    -n, --namespace='':
        If present, the namespace scope for this CLI request.

    --password='':
        Password for basic authentication to the API server.

    --profile='none':
        Taken for kubectl's sake: only none, for there is no runtime of Go to profile.

    --profile-output='profile.pprof':
        Taken for kubectl's sake: see --profile.

    --request-timeout='0':
        The length of time to wait before giving up on a single server request. Non-zero values
        should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don't
        timeout requests.

    -s, --server='':
        The address and port of the Kubernetes API server.

    --tls-server-name='':
        Server name to use for server certificate validation. If it is not provided, the hostname
        used to contact the server is used.

    --token='':
        Bearer token for authentication to the API server.

    --user='':
        The name of the kubeconfig user to use.

    --username='':
        Username for basic authentication to the API server.

    -v, --v=0:
        Number for the log level verbosity. 6 logs a line for each request, 7 headers too, 8 and
        more bodies; never tokens.

    --vmodule='':
        Taken for kubectl's sake: there are no files of Go to choose among.

    --warnings-as-errors=false:
        Treat warnings received from the server as errors and exit with a non-zero exit code.

Usage:
  kubectl prune options
)";

}  // namespace plugin::cli
