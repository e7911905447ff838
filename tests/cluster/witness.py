"""Servers and proxies on loopback that note who came, and pass it on to the test cluster."""
import base64
import http.client
import http.server
import select
import socket
import socketserver
import ssl
import struct
import threading

PATIENCE_SECONDS = 20


def server_context(certificate, authority=None, requires=False, version=None):
    """Returns a context for (certificate, key): a client certificate of `authority` is asked for.

    With `version` only that one of TLS is spoken.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if version:
        context.set_ciphers("ALL:@SECLEVEL=0")  # below that OpenSSL has no TLS 1.1
        context.minimum_version = context.maximum_version = version
    context.load_cert_chain(*certificate)
    if authority:
        context.load_verify_locations(authority)
        context.verify_mode = ssl.CERT_REQUIRED if requires else ssl.CERT_OPTIONAL
    return context


class Listener:
    """Accepts connections while it is open, each served by a thread of its own."""

    def __init__(self, handler, context=None, address="127.0.0.1"):
        class Server(socketserver.ThreadingTCPServer):
            address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
            daemon_threads = True
            request_queue_size = 64

            def finish_request(self, request, client_address):
                request.settimeout(PATIENCE_SECONDS)
                if context:
                    request = context.wrap_socket(request, server_side=True,
                                                  do_handshake_on_connect=False)
                with request:
                    if not context or shakes_hands(request):
                        handler(request, client_address, self)

            def handle_error(self, request, client_address):
                pass  # clients that do not trust us hang up

        self._server = Server((address, 0), None)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def shakes_hands(connection):
    """False if the client and we cannot agree; then the client has read why."""
    try:
        connection.do_handshake()
        return True
    except ssl.SSLError:
        # To close with bytes unread would reset the connection, and our alert would be lost.
        connection.settimeout(2)
        socket.socket.shutdown(connection, socket.SHUT_WR)
        while socket.socket.recv(connection, 1 << 16):
            pass
        return False


class Witness:
    """An API server by name of `name`: notes each request in `notes`, and asks `cluster` as its admin.

    `before(headers)` is called ahead of each; the HTTP code that it may return is sent in the place of
    the cluster's answer. The prefix /prefix of paths is taken off.
    """

    def __init__(self, cluster, notes, name, context=None, address="127.0.0.1",
                 before=lambda headers: None):
        witness = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                witness.serve(self)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self._cluster, self._notes, self._name, self._before = cluster, notes, name, before
        self._listener = Listener(Handler, context, address)
        self.port = self._listener.port

    def close(self):
        self._listener.close()

    def serve(self, handler):
        if not handler.path.partition("?")[0].endswith("/version"):  # see kubeconfig_test.py
            self._note(handler)
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length) if length else None
        code = self._before(handler.headers)
        if code:
            return self._answer(handler, code, b"", "text/plain")
        api = self._cluster.api()
        path = handler.path.removeprefix("/prefix")
        status, text = api.request_text(handler.command, path, body)
        api.close()
        return self._answer(handler, status, text, "application/json")

    def _note(self, handler):
        headers = handler.headers
        certificate = (handler.connection.getpeercert()
                       if isinstance(handler.connection, ssl.SSLSocket) else None)
        self._notes.append((
            self._name, f"host {headers['Host']}", handler.path.partition("/api")[0],
            *sorted(f"{key.title()}: {value.strip()}" for key, value in headers.items()
                    if key.lower().startswith(("authorization", "impersonate-"))),
            f"encoding {headers['Accept-Encoding']}", f"certificate {common_name(certificate)}"))

    @staticmethod
    def _answer(handler, status, text, content_type):
        handler.send_response_only(status)
        handler.send_header("Content-Type", content_type)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)


def common_name(certificate):
    subject = [pair for parts in (certificate or {}).get("subject", ()) for pair in parts]
    return dict(subject).get("commonName")


class ForwardProxy:
    """A proxy of http (CONNECT and plain requests) that notes what it is asked for.

    Wherever a client wants to go, it ends up at `routes[host:port]`, on loopback.
    """

    def __init__(self, notes, name, routes, context=None):
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_CONNECT(self):
                proxy.note(self, self.path)
                port = routes.get(self.path)
                self.send_response_only(200 if port else 502)
                self.end_headers()
                if port:
                    relay(self.connection, port)
                self.close_connection = True

            def do_GET(self):
                proxy.note(self, self.path.split("/")[2])
                host, _, path = self.path.removeprefix("http://").partition("/")
                port = routes.get(host)
                connection = http.client.HTTPConnection("127.0.0.1", port)
                headers = {key: value for key, value in self.headers.items()
                           if not key.lower().startswith("proxy-")}
                connection.request("GET", f"/{path}", headers=headers)
                answer = connection.getresponse()
                Witness._answer(self, answer.status, answer.read(), answer.headers["Content-Type"])

            def log_message(self, *_):
                pass

        self._notes, self._name = notes, name
        self._listener = Listener(Handler, context)
        self.port = self._listener.port

    def close(self):
        self._listener.close()

    def note(self, handler, target):
        certificate = (handler.connection.getpeercert()
                       if isinstance(handler.connection, ssl.SSLSocket) else None)
        self._notes.append((self._name, target, str(handler.headers["Proxy-Authorization"]),
                            str(common_name(certificate))))


class SocksProxy:
    """A SOCKS5 proxy, with and without user name and password."""

    KINDS = {1: "IPv4", 3: "name", 4: "IPv6"}

    def __init__(self, notes, name, routes):
        self._notes, self._name, self._routes = notes, name, routes
        self._listener = Listener(self._serve)
        self.port = self._listener.port

    def close(self):
        self._listener.close()

    def _serve(self, connection, *_):
        stream = connection.makefile("rb")
        login = self._log_in(connection, stream)
        stream.read(3)  # version, command and a reserved byte
        kind = stream.read(1)[0]
        if kind == 3:
            host = stream.read(stream.read(1)[0]).decode()
        else:
            family = socket.AF_INET if kind == 1 else socket.AF_INET6
            host = socket.inet_ntop(family, stream.read(4 if kind == 1 else 16))
        target = f"{host}:{struct.unpack('!H', stream.read(2))[0]}"
        self._notes.append((self._name, target, self.KINDS[kind], login))
        port = self._routes.get(target)
        connection.sendall(b"\x05" + (b"\0" if port else b"\x04") + b"\0\x01" + bytes(6))
        if port:
            relay(connection, port)

    @staticmethod
    def _log_in(connection, stream):
        methods = stream.read(stream.read(2)[1])
        if 2 not in methods:
            connection.sendall(b"\x05\0")
            return ""
        connection.sendall(b"\x05\x02")
        user = stream.read(stream.read(2)[1])
        password = stream.read(stream.read(1)[0])
        connection.sendall(b"\x01\0")
        return base64.b64encode(user + b":" + password).decode()


def relay(client, port):
    """Passes bytes on in both directions until one side ends."""
    with socket.create_connection(("127.0.0.1", port)) as server:
        ends = {client: server, server: client}
        while True:
            pending = isinstance(client, ssl.SSLSocket) and client.pending()
            ready = [client] if pending else select.select(list(ends), [], [], PATIENCE_SECONDS)[0]
            for one in ready or [None]:
                data = one.recv(1 << 16) if one else b""
                if not data:
                    return
                ends[one].sendall(data)
