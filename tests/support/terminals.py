"""Terminals for tests of what a person's screen gets."""
import pty
import unittest


def open_terminal():
    """As pty.openpty(). Where the machine has no devices for terminals, as a minimal container has
    none, the test is skipped."""
    try:
        return pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"no terminal to be had here ({error})") from error
