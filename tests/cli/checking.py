"""`audit check` as a program of its own, whose page is asked as a browser would ask it."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from types import SimpleNamespace

from tests.checkpage.making import ask


class Running:
    """A command that serves a page."""

    def __init__(self, folder, *argv):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "puremetrics.cli", *map(str, argv), "--no-browser"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self.before, found = [], None
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/([\w-]+)/", line)
            if found:
                break
            self.before.append(line)
        if found is None:
            self.process.wait()
            raise AssertionError(self.process.stderr.read())
        self.server = SimpleNamespace(port=int(found[1]), token=found[2])

    def ask(self, path, body=None):
        return ask(self.server, path, body)[2]

    def say(self, row, said, **more):
        status, _, found = ask(self.server, "answer", {"row": row, "said": said, **more})
        assert status == 200, found
        return found

    def stop(self, how=signal.SIGINT):
        """End it; the exit code and what it said."""
        self.process.send_signal(how)
        return self.end()

    def end(self):
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, "".join(self.before) + out, err


@contextlib.contextmanager
def running(folder, *argv):
    made = Running(folder, *argv)
    try:
        yield made
    finally:
        made.process.kill()
        made.process.wait()
        made.process.stdout.close()
        made.process.stderr.close()
