#!/bin/sh
# A helper for Windlass in plain shell: it reads one line of JSON for each job and answers with one line of JSON.
#
#   counter = app.helper("counter", ["sh", "examples/helper.sh"])
#   count = counter.task("count")
#   count.enqueue("anything").result()       -> {"answers": 1, "process": 4711, "length": 103}
#
# A question looks like this, on one line:
#   {"task": "count", "args": ["anything"], "kwargs": {}, "id": "01HZX...", "attempt": 1}
#
# An answer is one of these, on one line:
#   {"result": 42}                                         the job has completed
#   {"error": "no such file"}                              a failed attempt, under the job's retry rules
#   {"error": "no such user", "retry": false}              failed for good
#   {"error": "busy", "delay": "30s"}                      a failed attempt, the next one in 30 seconds
#   {"snooze": "10m"}                                      ask again in 10 minutes; nothing is charged
#
# What it writes to stderr becomes part of the job's log. Nothing else may be written to stdout.

answers=0
while IFS= read -r question; do
    answers=$((answers + 1))
    length=${#question}
    echo "question $answers has $length characters" >&2
    printf '{"result": {"answers": %d, "process": %d, "length": %d}}\n' "$answers" "$$" "$length"
done
