"""A helper for tests, run as a program of its own: does what its task is called."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def say(**answer: Any) -> None:
    print(json.dumps(answer), flush=True)


def main() -> None:
    for answers, line in enumerate(sys.stdin, start=1):
        question = json.loads(line)
        match question["task"]:
            case "tell":
                say(result={"process": os.getpid(), "answers": answers, "question": question})
            case "complain":
                print("first line", "second line", sep="\n", file=sys.stderr, flush=True)
                say(error="it does not work", **question["kwargs"])
            case "snooze":
                say(snooze=600)
            case "babble":
                print("this is no JSON", flush=True)
            case "shrug":
                say()
            case "talk":
                say(result=1)
                say(result=2)
            case "talk_at_once":
                os.write(1, b'{"result": 1}\n{"result": 2}\n')
            case "blow_up":
                say(result="x" * question["args"][0])
            case "hang":
                Path(question["args"][0]).write_text(f"{os.getpid()}\n")
                sys.stdin.read()
            case "die":
                os._exit(3)
            case "answer_and_leave":
                say(result=os.getpid())
                sys.exit(0)
            case _:
                sys.exit(0)


if __name__ == "__main__":
    main()
