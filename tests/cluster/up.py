"""Brings a test cluster up for a person, or for one command.

    python3 tests/cluster/up.py                 until Ctrl-C; prints what to export
    python3 tests/cluster/up.py -- COMMAND...   runs COMMAND with KUBECONFIG and etcdctl's settings,
                                                then stops; exit code as that of COMMAND
"""
import signal
import subprocess
import sys

from cluster import Cluster, ClusterError


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--"]:
        arguments = arguments[1:]
    elif arguments:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with Cluster(serves_all=True) as cluster:
            environment = cluster.environment(cluster.kubeconfig_file())
            if arguments:
                return subprocess.run(arguments, env=environment, check=False).returncode
            for name in ("KUBECONFIG", "ETCDCTL_API", "ETCDCTL_ENDPOINTS"):
                print(f"export {name}={environment[name]}")
            print("# Ctrl-C stops it", flush=True)
            signal.pause()
    except KeyboardInterrupt:
        return 130
    except (ClusterError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
