"""A TLS proxy before the test cluster's API server that sees every request, for faults at a known point."""
import http.client
import http.server
import json
import os
import socket
import ssl
import struct
import threading
import time


class Answer:
    """Answered by the proxy itself: the server never sees the request."""

    def __init__(self, code, body=b"", content_type="application/json", headers=()):
        self.code, self.body, self.content_type, self.headers = code, body, content_type, headers

    @classmethod
    def status(cls, code, reason, message="by the proxy", headers=(), **fields):
        """As the API server fails a request."""
        body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                "message": message, "reason": reason, "code": code, **fields}
        return cls(code, json.dumps(body).encode(), headers=headers)


class Reset:
    """The connection is reset: before the server sees the request, or when it has answered."""

    def __init__(self, after=False):
        self.after = after


class Cut:
    """The server's answer ends in its middle."""


class Slow:
    """Passed on after some seconds."""

    def __init__(self, seconds):
        self.seconds = seconds


class Garbled:
    """Passed on, but this is what comes back with code 200."""

    def __init__(self, body, content_type):
        self.body, self.content_type = body, content_type


class Proxy:
    """Passes requests on while its `with` block lasts; clients log in by token.

    `before(method, path)` is called ahead of every request, from the thread that serves it, one at
    a time. It may return one of the faults above. `after(method, path)` is called likewise when the
    server has answered and the client does not have it yet. `seen` collects (method, path, HTTP code)
    of what the server answered; `unread` counts answers that the client did not wait for.
    """

    def __init__(self, cluster, before=lambda method, path: None, after=lambda method, path: None):
        self.seen = []
        self.unread = 0
        self.port = None
        self._cluster = cluster
        self._before = before
        self._after = after
        self._lock = threading.Lock()

    def __enter__(self):
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1  # head and body in one piece

            def setup(self):
                super().setup()
                self.upstream = http.client.HTTPSConnection(
                    "127.0.0.1", proxy._cluster.port, timeout=240, context=proxy._cluster.context)

            def finish(self):
                self.upstream.close()
                super().finish()

            def handle_request(self):
                try:
                    proxy.serve(self)
                except (OSError, http.client.HTTPException):
                    with proxy._lock:
                        proxy.unread += 1
                    self.close_connection = True

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request

            def log_message(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self._cluster.certificates.serving)

        class HandlerServer(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def get_request(self):
                connection, address = super().get_request()
                # The handshake belongs to the thread of the connection: one slow client must not
                # keep others from being accepted.
                return context.wrap_socket(connection, server_side=True,
                                           do_handshake_on_connect=False), address

            def handle_error(self, request, client_address):
                pass  # clients that are killed in the middle of a handshake are no news

        self._server = HandlerServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def serve(self, handler):
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length) if length else None
        with self._lock:
            fault = self._before(handler.command, handler.path)
        if isinstance(fault, Answer):
            answer_with(handler, fault)
        elif isinstance(fault, Reset) and not fault.after:
            reset(handler)
        else:
            if isinstance(fault, Slow):
                time.sleep(fault.seconds)
            self._pass_on(handler, body, fault)

    def _pass_on(self, handler, body, fault):
        answer = self._ask(handler, body)
        if "watch=" in handler.path and answer.status == 200:
            self._note(handler, answer.status)
            stream(handler, answer)
            return
        text = answer.read()
        self._note(handler, answer.status)
        if isinstance(fault, Reset):
            reset(handler)
        elif isinstance(fault, Garbled):
            answer_with(handler, Answer(200, fault.body, fault.content_type))
        else:
            send_head(handler, answer, [("Content-Length", str(len(text)))])
            handler.wfile.write(text[:len(text) // 2] if isinstance(fault, Cut) else text)
            handler.wfile.flush()
            handler.close_connection = handler.close_connection or isinstance(fault, Cut)

    def _ask(self, handler, body):
        headers = {key: value for key, value in handler.headers.items()
                   if key.lower() not in ("host", "connection", "accept-encoding")}
        handler.upstream.request(handler.command, handler.path, body, headers)
        return handler.upstream.getresponse()

    def _note(self, handler, status):
        with self._lock:
            self.seen.append((handler.command, handler.path, status))
            self._after(handler.command, handler.path)


def answer_with(handler, answer):
    handler.send_response(answer.code)
    for key, value in [*answer.headers, ("Content-Type", answer.content_type),
                       ("Content-Length", str(len(answer.body)))]:
        handler.send_header(key, value)
    handler.end_headers()
    handler.wfile.write(answer.body)
    handler.wfile.flush()


def reset(handler):
    """Closes the connection with RST in the place of FIN."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True
    os.close(handler.connection.detach())


def send_head(handler, answer, more):
    handler.send_response_only(answer.status)
    for key, value in answer.getheaders():
        if key.lower() not in ("transfer-encoding", "content-length", "connection"):
            handler.send_header(key, value)
    for key, value in more:
        handler.send_header(key, value)
    handler.end_headers()


def stream(handler, answer):
    """Passes a watch on, event by event, until one of both ends it."""
    send_head(handler, answer, [("Transfer-Encoding", "chunked")])
    handler.wfile.flush()
    while True:
        piece = answer.read1(1 << 16)
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        handler.wfile.flush()
        if not piece:
            return


class Balancer:
    """Passes connections on while its `with` block lasts, as a TCP balancer before one server. `brought` has the number
    of bytes that clients sent, for each connection in the order in which they came.
    """

    def __init__(self, port):
        self._server_port = port
        self.brought = []

    def __enter__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._sockets, self._threads = [], []
        self._begin(self._listen)
        return self

    def _begin(self, act, *arguments):
        thread = threading.Thread(target=act, args=arguments)
        self._threads.append(thread)
        thread.start()

    def _listen(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # it is over
            server = socket.create_connection(("127.0.0.1", self._server_port))
            self._sockets += [client, server]
            self.brought.append(0)
            self._begin(self._pass_on, client, server, len(self.brought) - 1)
            self._begin(self._pass_on, server, client, None)

    def _pass_on(self, source, sink, number):
        try:
            while piece := source.recv(65536):
                sink.sendall(piece)
                if number is not None:
                    self.brought[number] += len(piece)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the other end has gone

    def __exit__(self, *_):
        for one in (self._listener, *self._sockets):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it has gone already
        for thread in self._threads:
            thread.join()
        for one in (self._listener, *self._sockets):
            one.close()
