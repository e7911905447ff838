"""How programs of tests end."""


def exit_code(result):
    """The exit code of a program whose tests had this TestResult. Says why some were skipped, in the
    form that run.sh gathers."""
    for reason in sorted({reason for _, reason in result.skipped}):
        print(f"skipped: {reason}", flush=True)
    return 0 if result.wasSuccessful() else 1
