#!/usr/bin/env python3
"""What the program makes of the files and variables that it is started with.

Usage: surroundings_test.py KUBECTL_PRUNE FAKE_API_SERVER
"""
import fcntl
import os
import pathlib
import socket
import subprocess
import sys
import unittest

import sandbox

PATIENCE_SECONDS = 240
ALPN_HTTP_1, ALPN_HTTP_2 = b"\x08http/1.1", b"\x02h2"
BOX = None


class Surroundings(unittest.TestCase):
    def start(self, *command, variables=None, **options):
        process = subprocess.Popen(command, cwd=BOX.work, env=BOX.environment | (variables or {}), **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def server(self):
        server = socket.create_server(("127.0.0.1", 0))
        server.settimeout(PATIENCE_SECONDS)
        self.addCleanup(server.close)
        return server

    def first_bytes(self, server, size):
        """The first connection, and what comes over it."""
        connection, _ = server.accept()
        self.addCleanup(connection.close)
        connection.settimeout(PATIENCE_SECONDS)
        return connection, connection.recv(size)

    def test_closed_standard_files_lead_nowhere(self):
        server = self.server()
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        process = self.start("sh", "-c", 'exec kubectl-prune version -s "$0" <&- >&- 2>&-', address)
        self.first_bytes(server, 100)  # it is connected, and waits for the answer
        files = pathlib.Path("/proc", str(process.pid), "fd")
        self.assertEqual([os.readlink(files / str(number)) for number in range(3)], ["/dev/null"] * 3)

    def test_output_to_a_pipe_that_does_not_block_is_whole(self):
        command = ["kubectl-prune", "migrate", "--help"]
        reading, writing = os.pipe()
        size = fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(writing, False)
        process = self.start(*command, stdout=writing)
        os.close(writing)
        with open(reading, "rb", buffering=0) as pipe:
            out = b"".join(iter(lambda: pipe.read(1), b""))  # far slower than it writes
        self.assertEqual(process.wait(PATIENCE_SECONDS), 0)
        self.assertGreater(len(out), size)
        self.assertEqual(out.decode(), BOX.run(*command).stdout)

    def greeting(self, **variables):
        """What a server is sent first over TLS."""
        server = self.server()
        self.start("kubectl-prune", "version", "--token=t", "-s",
                   f"https://127.0.0.1:{server.getsockname()[1]}",
                   variables=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        connection, head = self.first_bytes(server, 5)  # type, version and length of the record
        length = int.from_bytes(head[3:], "big")
        connection.settimeout(None)  # else it would not wait for all
        return connection.recv(length, socket.MSG_WAITALL)

    def test_http_2_can_be_disabled_as_in_kubectl(self):
        self.assertIn(ALPN_HTTP_2, self.greeting())
        disabled = self.greeting(DISABLE_HTTP2="1")
        self.assertIn(ALPN_HTTP_1, disabled)
        self.assertNotIn(ALPN_HTTP_2, disabled)


if __name__ == "__main__":
    sys.exit(sandbox.run_tests())
