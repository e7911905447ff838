#!/usr/bin/env python3
"""What SIGINT and SIGTERM do to `kubectl-prune check`, and to `populate` with --once or --diff.

stop_signal_test.py BINARY: the program runs against a server that never answers, or stands still
over its standard input, and is sent a signal then.
"""
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

BINARY = None
LONG = 60  # seconds; a program that ignores the signal fails the test by it
# More than a pipe holds: once this is written, the other end is being read.
MORE_THAN_A_PIPE = b"\n" * (1 << 20)
BUSY = b"HTTP/1.1 503 x\r\nRetry-After: 50\r\nContent-Length: 0\r\n\r\n"
KUBECONFIG = """apiVersion: v1
kind: Config
current-context: c
clusters: [{{name: c, cluster: {{server: "http://127.0.0.1:{port}"}}}}]
users: [{{name: u, user: {{}}}}]
contexts: [{{name: c, context: {{cluster: c, user: u}}}}]
"""


class Server:
    """Takes one request, sends `answer` and runs `on_request`; the connection stays open."""

    def __init__(self, on_request, answer=b""):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.on_request, self.answer = on_request, answer
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with self.socket:
            connection, _ = self.socket.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(self.answer)
            self.on_request()
            connection.recv(65536)  # until the program has gone


class StopSignals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)

    def start(self, *arguments, port, command="check", **options):
        """Starts the command with the signals as a shell leaves them, and pipes."""
        (self.home / "config").write_text(KUBECONFIG.format(port=port))
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        environment = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        environment |= {"HOME": str(self.home), "KUBECONFIG": str(self.home / "config")}
        process = subprocess.Popen([BINARY, command, *arguments], env=environment,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                                   **(pipes | options))
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        with process:  # closes its pipes
            pass

    def stop_at_first_request(self, *arguments, number=signal.SIGTERM, times=1, answer=b"",
                              **options):
        """Sends the signal when the server has the first request; returns code, stdout, stderr."""
        started = threading.Event()

        def stop():
            started.wait(LONG)
            for _ in range(times):
                process.send_signal(number)

        server = Server(stop, answer)
        process = self.start(*arguments, port=server.port, **options)
        started.set()
        out, err = process.communicate(timeout=LONG)
        return process.returncode, (out or b"").decode(), err.decode()

    def test_E1_the_first_signal_ends_a_check_that_gets_no_answer(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                code, out, err = self.stop_at_first_request(number=number)
                self.assertEqual((128 + number, "", "error: interrupted: not all CRDs were read\n"),
                                 (code, out, err))

    def test_E1_the_first_signal_ends_a_populate_that_gets_no_answer(self):
        for flag, told in (("--once", "interrupted: run again, and the rest is done\n"),
                           ("--diff", "error: interrupted: not all objects were read\n")):
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(flag=flag, number=number):
                    code, out, err = self.stop_at_first_request(flag, number=number, command="populate")
                    self.assertEqual((128 + number, "", told), (code, out, err))

    def test_a_signal_that_comes_twice_at_once_is_one(self):
        code, _, err = self.stop_at_first_request(number=signal.SIGINT, times=3)
        self.assertEqual((130, "error: interrupted: not all CRDs were read\n"), (code, err))

    def test_a_later_signal_ends_a_program_that_hangs(self):
        full, end = os.pipe()  # nobody reads the report
        self.addCleanup(os.close, full)
        os.set_blocking(end, False)
        with contextlib.suppress(BlockingIOError):
            while os.write(end, b"x" * 4096):
                pass
        os.set_blocking(end, True)
        process = self.start("-f", "-", "-o", "json", port=1, stdin=subprocess.DEVNULL, stdout=end)
        os.close(end)
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        self.assertEqual(-signal.SIGTERM, process.returncode)

    def test_the_first_signal_ends_the_wait_that_a_server_asks_for(self):
        code, _, err = self.stop_at_first_request(answer=BUSY)
        self.assertEqual(128 + signal.SIGTERM, code)
        self.assertTrue(err.endswith("error: interrupted: not all CRDs were read\n"), err)

    def test_E1_a_stopped_run_that_ends_by_an_error_has_the_exit_code_of_the_signal(self):
        with open("/dev/full", "wb") as full:
            code, _, err = self.stop_at_first_request("-o", "json", stdout=full)
        self.assertEqual(128 + signal.SIGTERM, code)
        self.assertIn("error: cannot write to stdout: No space left on device\n", err)

    def test_a_signal_ends_a_check_that_waits_for_its_standard_input(self):
        process = self.start("-f", "-", port=1)  # where nothing listens
        process.stdin.write(MORE_THAN_A_PIPE)
        process.stdin.flush()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(-signal.SIGTERM, process.wait(LONG))


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
