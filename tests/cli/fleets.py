"""What tests of several clusters side by side share."""
import json
import socket
import threading

SECONDS = 240  # whoever waits longer waits for ever


class Board:
    """What servers were asked, for those that wait for others."""

    def __init__(self):
        self._changed = threading.Condition()
        self._asked = set()
        self.gave_up = []  # who has waited in vain

    def note(self, name):
        with self._changed:
            self._asked.add(name)
            self._changed.notify_all()

    def wait_for(self, who, names):
        with self._changed:
            if not self._changed.wait_for(lambda: self._asked >= set(names), SECONDS):
                self.gave_up.append(who)


def closed_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def port_of_a_broken_server():
    """It takes connections, and closes each as soon as it is asked something."""
    listener = socket.create_server(("127.0.0.1", 0))

    def run():
        while True:
            connection, _ = listener.accept()
            connection.recv(1)
            connection.close()
    threading.Thread(target=run, daemon=True).start()
    return listener.getsockname()[1]


def write_kubeconfig(path, ports, users=None):
    """A context for each of the ports, or host:port, in an order that is not that of the names."""
    def url(port):
        return f"http://127.0.0.1:{port}" if isinstance(port, int) else f"http://{port}"
    users = users or {}
    names = sorted(ports, key=lambda name: name[::-1])
    config = {"apiVersion": "v1", "kind": "Config", "current-context": "",
              "clusters": [{"name": f"c-{n}", "cluster": {"server": url(ports[n])}} for n in names],
              "users": [{"name": f"u-{n}", "user": users.get(n, {})} for n in names],
              "contexts": [{"name": n, "context": {"cluster": f"c-{n}", "user": f"u-{n}"}} for n in names]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
