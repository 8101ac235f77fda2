"""Runs a program on a terminal of its own, types when it has said something, and prints what it said.

The task comes as JSON in TASK: argv, rows, columns, steps (each waits for words and then types keys). The outcome goes to
standard output as JSON: what was on the terminal, and the exit code. Nothing waits longer than a minute.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

TASK = json.loads(os.environ.pop("TASK"))
END = time.monotonic() + 60

pid, terminal = pty.fork()
if pid == 0:
    os.execv(TASK["argv"][0], TASK["argv"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", TASK["rows"], TASK["columns"], 0, 0))

said = b""
seen = 0
steps = list(TASK["steps"])
while True:
    if time.monotonic() > END:
        os.kill(pid, signal.SIGKILL)
        print(json.dumps({"said": said.decode(errors="replace"), "waits_for": steps[:1], "code": None}))
        sys.exit(1)
    while steps:
        at = said.find(steps[0][0].encode(), seen)
        if at < 0:
            break
        seen = at + len(steps[0][0].encode())
        # A program that switches to single keys throws away what was typed before.
        time.sleep(0.2)
        os.write(terminal, steps.pop(0)[1].encode())
    if not select.select([terminal], [], [], 0.1)[0]:
        continue
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    said += part

code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({"said": said.decode(errors="replace"), "waits_for": steps[:1], "code": code}))
