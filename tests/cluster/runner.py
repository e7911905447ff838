"""What the tests against a real API server are run by."""
import os
import sys
import time
import unittest

from cluster import SKIPPED, MissingBinaries


class TimedResult(unittest.TextTestResult):
    """Says of each test how long it took. SIGTERM ends not one test, but all."""

    def startTest(self, test):
        self._start = time.monotonic()
        super().startTest(test)

    def addError(self, test, err):
        super().addError(test, err)
        if err[0] is SystemExit:
            self.stop()

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.stream.writeln(f"skipped: {reason}")

    def stopTest(self, test):
        super().stopTest(test)
        self.stream.writeln(f"    {time.monotonic() - self._start:.1f} s")


def run_tests(module, chosen=()):
    """Runs the tests of a module, or those in whose name one of the words `chosen` is.

    SHARD=2/4 in the environment: every fourth of them from the second one on, so that several runs
    with their own servers share them, each once. Returns the exit code. A word that no name has ends the program.
    """
    tests = [test for suite in unittest.defaultTestLoader.loadTestsFromModule(module) for test in suite]
    unknown = [word for word in chosen if not any(word in test.id() for test in tests)]
    if unknown:
        raise SystemExit(f"error: no test has in its name: {', '.join(unknown)}")
    if chosen:
        tests = [test for test in tests if any(word in test.id() for word in chosen)]
    number, of = map(int, os.environ.get("SHARD", "1/1").split("/"))
    tests = unittest.TestSuite(tests[number - 1::of])
    run = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=TimedResult).run(tests)
    return 0 if run.wasSuccessful() and run.testsRun else 1


def end(main):
    """Ends the program with what `main` returns, or as skipped where there is no server."""
    try:
        sys.exit(main())
    except MissingBinaries as missing:
        print(f"skipped: {missing}")
        sys.exit(SKIPPED)
