"""Requests by which whoever reaches the port of a webhook may try to take its memory, or its time."""
import json
import pathlib
import re
import socket
import ssl
import threading
import time

MIB = 1024 * 1024


def limit_mib(manifest):
    """Returns the memory that a manifest gives its container at most, in MiB."""
    text = pathlib.Path(__file__).resolve().parents[2].joinpath("krew/manifests", manifest).read_text(encoding="utf-8")
    return int(re.search(r"limits:\n +memory: (\d+)Mi\b", text)[1])


def repeated(size, piece, head="", tail=""):
    """Returns about `size` bytes: `head`, `piece` again and again, `tail`."""
    return (head + piece * (size // len(piece)) + tail).encode()


def review(resource, object_text, old_object_text="null", user='{"username":"somebody"}', uid="1", name="a",
           options="null"):
    """Returns the bytes of a review of an update."""
    group, version, plural, kind = resource
    types = {"kind": {"group": group, "version": version, "kind": kind},
             "resource": {"group": group, "version": version, "resource": plural}}
    return ('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"' + uid + '",'
            + json.dumps(types)[1:-1] + ',"operation":"UPDATE","namespace":"default","name":"' + name + '","userInfo":'
            + user + ',"options":' + options + ',"object":' + object_text + ',"oldObject":' + old_object_text + '}}').encode()


def bodies(resource):
    """Returns {what: body}: each takes far more memory than it has bytes, or as much as a body may have.

    `resource` is (group, version, plural, kind) of a resource that a handler looks at.
    """
    def both(size, piece, last="0", opening="[", closing="]"):
        text = '{"metadata":{},"spec":{"unknown":' + opening + piece * (size // len(piece)) + last + closing + "}}"
        return review(resource, text, text)

    def keys(count, form):
        return "{" + ",".join(form % number for number in range(count)) + "}"

    def looked_at(spec):
        text = '{"metadata":{},"spec":' + spec + "}"
        return review(resource, text, text)

    return {
        "zeros": repeated(7_800_000, "0,", "[", "0]"),
        "zeros that are no JSON": repeated(7_800_000, "0,"),
        "zeros of 2.9 MB": repeated(2_900_000, "0,", "[", "0]"),
        "zeros in both objects": both(1_500_000, "0,"),
        "empty texts": both(1_500_000, '"",'),
        "empty objects": both(1_500_000, "{},"),
        "arrays of one": both(1_500_000, "[0],"),
        "equal keys": both(1_500_000, '"":0,', '"":0', "{", "}"),
        "short keys": looked_at(keys(120_000, '"%x":0')),
        "objects with keys": looked_at("[" + ",".join(keys(8, '"k%d":0') for _ in range(40_000)) + "]"),
        "deep": repeated(9_000, "[") + repeated(9_000, "]"),
        "deep and wide": looked_at('{"a":[' * 4_000 + "0" + ',0]}' * 4_000),
        "a long key above many": looked_at('{"' + "k" * 700_000 + '":' + keys(60_000, '"%x":{}') + "}"),
        "what has to be escaped": looked_at('"' + "<" * 1_400_000 + '"'),
        "what was escaped": looked_at('"' + "\\u003c" * 1_500_000 + '"'),
        "a text of 39 MiB": review(resource, '{"spec":{"a":"' + "x" * (39 * MIB) + '"}}'),
        "white space of 39 MiB": b"{" + b" " * (39 * MIB) + b"}",
        "bytes that are not UTF-8": b'["' + b"\xff" * 3_000_000 + b'"]',
        "surrogates": repeated(3_000_000, '"\\ud800",', "[", "0]"),
        "numbers that become long": repeated(3_000_000, "1e020,", '["\\ud800",', "0]"),
        "many groups": review(resource, "{}", user='{"groups":[' + '"",' * 900_000 + '""]}'),
        "a long user": review(resource, "{}", user='{"username":"' + "<" * 3_000_000 + '"}'),
        "a long uid": review(resource, "{}", uid="<" * 3_000_000),
        "a long manager": review(resource, '{"spec":{"unknown":1}}', options='{"fieldManager":"' + "<" * 3_000_000 + '"}'),
        "metadata that is a list": review(resource, '{"metadata":[1,2]}', '{"metadata":[3,4]}'),
        "a long name": review(resource, '{"spec":{"unknown":1}}', name="<" * 3_000_000),
    }


class Sender:
    """Sends requests to a port of this machine, with TLS that verifies nothing."""

    def __init__(self, port):
        self._port = port
        self._context = ssl.create_default_context()
        self._context.check_hostname, self._context.verify_mode = False, ssl.CERT_NONE

    def connect(self):
        return self._context.wrap_socket(socket.create_connection(("127.0.0.1", self._port), timeout=60))

    def send(self, path, body, is_chunked=False):
        """Returns the status of the answer; 0 where the connection ended without one."""
        head = f"POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n".encode()
        try:
            with self.connect() as connection:
                try:
                    self._send_all(connection, head, body, is_chunked)
                except OSError:
                    pass  # the answer may be there already
                return self._status(connection)
        except OSError:
            return 0

    @staticmethod
    def _send_all(connection, head, body, is_chunked):
        if not is_chunked:
            connection.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body))
            connection.sendall(body)
            return
        connection.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
        for start in range(0, len(body), 65536):
            piece = body[start:start + 65536]
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        connection.sendall(b"0\r\n\r\n")

    @staticmethod
    def _status(connection):
        answer = b""
        while b"\r\n" not in answer:
            piece = connection.recv(65536)
            if not piece:
                return 0
            answer += piece
        return int(answer.split()[1])

    def send_at_once(self, count, path, body_of, is_chunked=False):
        """Sends body_of(number) by so many connections at the same time, and returns {status: how often}."""
        statuses = {}

        def send(number):
            status = self.send(path, body_of(number), is_chunked)
            statuses[status] = statuses.get(status, 0) + 1

        threads = [threading.Thread(target=send, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return statuses

    def begin_slowly(self, count, size, sent, path="/"):
        """Begins so many requests of `size` bytes and sends the first `sent` of each; returns the connections."""
        connections = []
        head = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {size}\r\n\r\n".encode()

        def begin():
            try:
                connection = self.connect()
                connections.append(connection)
                connection.settimeout(2)
                connection.sendall(head + b"[" * sent)
            except OSError:
                pass  # who is kept waiting has sent less

        threads = [threading.Thread(target=begin) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return connections


class Meanwhile:
    """Calls `act` again and again, in a thread, while its `with` block lasts. Notes how long it took at most and, each
    time that it returns a text, what was wrong."""

    def __init__(self, act):
        self._act = act
        self.count, self.longest, self.wrong = 0, 0, []

    def _run(self):
        while not self._stop.is_set():
            began = time.monotonic()
            try:
                wrong = self._act()
            except Exception as error:  # pylint: disable=broad-except  (it is told)
                wrong = repr(error)
            self.longest = max(self.longest, time.monotonic() - began)
            self.count += 1
            if wrong:
                self.wrong.append(wrong)

    def __enter__(self):
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
