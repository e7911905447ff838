"""A TLS proxy before the test cluster's API server that sees every request, for faults at a known point."""
import http.client
import http.server
import ssl
import threading


class Proxy:
    """Passes requests on while its `with` block lasts; clients log in by token.

    `before(method, path)` is called ahead of every request, from the thread that serves it, one at
    a time. `seen` collects (method, path, HTTP code).
    """

    def __init__(self, cluster, before=lambda method, path: None):
        self.seen = []
        self.port = None
        self._cluster = cluster
        self._before = before
        self._lock = threading.Lock()

    def __enter__(self):
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_request(self):
                proxy.pass_on(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request

            def log_message(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self._cluster.certificates.serving)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def pass_on(self, handler):
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length) if length else None
        with self._lock:
            self._before(handler.command, handler.path)
        headers = {key: value for key, value in handler.headers.items()
                   if key.lower() not in ("host", "connection", "accept-encoding")}
        connection = http.client.HTTPSConnection("127.0.0.1", self._cluster.port, timeout=60,
                                                 context=self._cluster.context)
        connection.request(handler.command, handler.path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        with self._lock:
            self.seen.append((handler.command, handler.path, answer.status))
        handler.send_response(answer.status)
        for key, value in answer.getheaders():
            if key.lower() not in ("transfer-encoding", "content-length", "connection"):
                handler.send_header(key, value)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)
