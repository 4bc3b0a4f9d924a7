"""Headless Chromium over its debugging pipe: enough to open a page, look and poke at it.

The pipe (file descriptors 3 and 4 of the browser) carries JSON messages ended by a zero
byte, so nothing but the standard library is needed.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]


def find() -> str | None:
    """The browser's path, or None."""
    return next((p for p in ("/usr/bin/chromium", shutil.which("chromium")) if p and Path(p).exists()), None)


class Browser:
    """One browser with one page; use it in a ``with`` block."""

    def __init__(self, width=1280, height=900, dark=False, touch=False):
        self.size, self.dark, self.touch = (width, height), dark, touch
        self.count, self.events, self.buffer = 0, [], b""

    def __enter__(self):
        self.home = tempfile.mkdtemp(prefix="acklab-browser-")
        to_child, self.out = os.pipe()
        self.inp, from_child = os.pipe()

        def wire():
            # The browser reads 3 and writes 4; move ours out of the way first.
            a, b = os.dup2(to_child, 30), os.dup2(from_child, 31)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [find(), *FLAGS, f"--user-data-dir={self.home}", "about:blank"],
            preexec_fn=wire,  # noqa: PLW1509 - only moves file descriptors
            close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_child)
        os.close(from_child)
        self.session = None
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Performance"):
            self(f"{domain}.enable")
        width, height = self.size
        self("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=self.touch)
        scheme = "dark" if self.dark else "light"
        self("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.inp)
        for _ in range(40):  # its helpers outlive it for a moment, and still write there
            shutil.rmtree(self.home, ignore_errors=True)
            if not os.path.exists(self.home):
                break
            time.sleep(0.05)

    def __call__(self, method, timeout=60.0, **params):
        """Send a command and wait for its answer; what comes meanwhile is kept in ``events``."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + timeout
        while True:
            answer = self._next(until - time.monotonic())
            if answer is None:
                raise TimeoutError(f"no answer to {method}")
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def _next(self, wait):
        while b"\0" not in self.buffer:
            if wait <= 0 or not select.select([self.inp], [], [], wait)[0]:
                return None
            data = os.read(self.inp, 1 << 20)
            if not data:
                raise RuntimeError("the browser went away")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def js(self, text):
        """The value of an expression in the page (promises are awaited)."""
        got = self("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in got:
            raise RuntimeError(got["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return got["result"].get("value")

    def open(self, path, timeout=60.0):
        """Open a page and wait until it says that all its charts are drawn; returns its two times in ms."""
        self.events.clear()
        url = path if str(path).startswith("file:") else Path(path).resolve().as_uri()
        self("Page.navigate", url=url, timeout=timeout)
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            marks = self.js("({...document.documentElement?.dataset})") or {}
            if "readyMs" in marks:
                return int(marks["openedMs"]), int(marks["readyMs"])
            if self.complaints():
                raise AssertionError("; ".join(self.complaints()))
            time.sleep(0.05)
        raise TimeoutError(f"{path} was not ready after {timeout} s")

    def complaints(self):
        """Console errors and warnings, uncaught exceptions, refused requests, as text."""
        self.js("1")
        out = []
        for event in self.events:
            p = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                detail = p["exceptionDetails"]
                out.append(detail.get("exception", {}).get("description") or detail["text"])
            elif event.get("method") == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
                out.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
            elif event.get("method") == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                out.append(p["entry"]["text"])
        return out

    def requests(self):
        """Addresses the page asked for, beside its own file."""
        asked = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [u for u in asked if not u.startswith(("file:", "data:", "blob:", "about:"))]

    def picture(self, path, whole=True):
        """A screenshot; ``whole`` takes the page from top to bottom."""
        clip = {}
        if whole:
            size = self("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}
            clip["captureBeyondViewport"] = True
        data = self("Page.captureScreenshot", format="png", **clip)["data"]
        Path(path).write_bytes(base64.b64decode(data))

    def mouse(self, kind, x, y, **more):
        self("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def key(self, key, code=0):
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if len(key) == 1 and kind == "keyDown" else {}
            self("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text)
