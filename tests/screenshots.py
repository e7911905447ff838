#!/usr/bin/env python3
"""Makes the pictures of docs/images: a page of -o html, and what a terminal shows of the same check.

Usage: screenshots.py KUBECTL_PRUNE FOLDER. Needs chromium.
"""
import base64
import html
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/support"))

import browser

WIDGETS = ("-f", "widgets.yaml", "-f", "widgets-objects.json")
WIDTH = 1200
TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #0d1117; } pre { display: inline-block; max-width: 170ch; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; padding: 20px 24px;
color: #e6edf3; background: #0d1117; font: 14px/1.4 "DejaVu Sans Mono", monospace; } b { color: #3fb950; }
</style><pre><b>$</b> %s
%s</pre>"""
# Where a page ends: no empty half is in the picture.
END = "Math.ceil(document.querySelector('%s').getBoundingClientRect().%s)"


def prune(binary, *arguments):
    run = subprocess.run([binary, "check", "--local", *arguments], cwd=ROOT / "tests/demo", text=True,
                         capture_output=True, check=False)
    return run.stdout


def picture(tab, text, last, most, prepare="0"):
    """The PNG of a page from its top to the end of the element `last`, but no larger than `most`."""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "page.html")
        page.write_text(text, encoding="utf-8")
        tab.emulate(width=most[0], height=most[1])
        tab.open(page.as_uri())
        tab.run(prepare)
        width, height = (min(limit, tab.run(END % (last, side)))
                         for limit, side in zip(most, ("right", "bottom")))
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        return base64.b64decode(tab.call("Page.captureScreenshot", format="png", clip=clip)["data"])


def main():
    binary, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    table = html.escape(prune(binary, *WIDGETS))
    command = "kubectl prune check --local " + " ".join(WIDGETS)
    with browser.browser() as tab:
        pictures = {
            "report.png": picture(tab, prune(binary, "-f", "gizmos.yaml", *WIDGETS, "-o", "html"), "body",
                                  (WIDTH, 1150), "document.querySelector('details.crd').open = false"),
            "terminal.png": picture(tab, TERMINAL % (command, table), "pre", (1800, 900))}
    for name, png in pictures.items():
        (folder / name).write_bytes(png)
        print(f"{folder.name}/{name}: {len(png) / 1000:.0f} KB")


if __name__ == "__main__":
    main()
