"""How programs of tests end, and what some of them need of the machine."""
import socket


def exit_code(result):
    """The exit code of a program whose tests had this TestResult. Says why some were skipped, in the
    form that run.sh gathers."""
    for reason in sorted({reason for _, reason in result.skipped}):
        print(f"skipped: {reason}", flush=True)
    return 0 if result.wasSuccessful() else 1


def lacks_localhost():
    """Why tests that reach a server as localhost are skipped; "" where the name is known."""
    try:
        socket.getaddrinfo("localhost", None)
    except OSError:
        return "nothing knows the name localhost (it belongs in /etc/hosts)"
    return ""
