"""Runs a program that goes on until it is told to end beside a test."""
import http.client
import re
import signal
import ssl
import subprocess
import threading

from cluster import ClusterError, wait_for


def container_arguments(manifest, *but):
    """Returns what a Deployment gives its container, but for flags that no program on this machine can be given, and
    those whose names are in `but`."""
    left_out = "|".join(("reach", "host", ".*-file", *but))
    found = re.findall("^            - (guard|populate|--.*)$", manifest, re.MULTILINE)
    return [one for one in found if not re.match(f"--({left_out})=", one)]


class EndedAtOnce(AssertionError):
    """(exit code, what it said)"""


class Service:
    """A program that serves, while its `with` block lasts. `lines` is what it has said on stderr so far."""

    def __init__(self, cluster, command, user=None, cwd=None):
        self._cluster, self._command, self._user, self._cwd = cluster, command, user, cwd
        self.lines = []

    def is_up(self):
        return self.port() is not None

    def __enter__(self):
        environment = self._cluster.environment(self._cluster.kubeconfig_file(self._user))
        self.process = subprocess.Popen(
            self._command, env=environment, cwd=self._cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        # A test that fails must end, too, where this program does not.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            wait_for("the program does not serve", lambda: self.is_up() or self.process.poll() is not None)
        except ClusterError:
            self.stop(signal.SIGKILL)
            raise
        if self.process.poll() is not None:
            code = self.stop()
            raise EndedAtOnce(code, "\n".join(self.lines))
        return self

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    def port(self):
        """Of its webhooks; None as long as they are not served."""
        return next((int(line.split()[-1]) for line in self.lines if line.startswith("serving at port ")), None)

    def get(self, path):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.port(), context=context, timeout=120)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def stop(self, number=signal.SIGTERM):
        """Returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(timeout=240)
        self._reader.join()
        self.process.stderr.close()
        return code

    def __exit__(self, *_):
        if self._reader.is_alive() or self.process.poll() is None:
            self.stop()
