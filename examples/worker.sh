#!/bin/sh
# A worker with nothing but curl and jq:
#   WINDLASS_API=http://127.0.0.1:8787/api/v1 WINDLASS_TOKEN=wl_... sh worker.sh tts 'tr a-z A-Z'
# It claims jobs of a queue, gives the first argument of each to a command, and completes the job with what that prints.
queue=$1 command=$2
api=${WINDLASS_API:-http://127.0.0.1:8787/api/v1}

post() { # path, body
    curl -sS --fail-with-body -X POST "$api$1" \
        -H "Authorization: Bearer $WINDLASS_TOKEN" -H "Content-Type: application/json" -d "$2"
}

while :; do
    job=$(post /leases "{\"queues\":[\"$queue\"],\"lease\":\"5m\",\"wait\":20}" | jq -c '.jobs[0] // empty')
    if [ -z "$job" ]; then sleep 0.2; continue; fi
    id=$(printf %s "$job" | jq -r '.id | @uri')
    fence=$(printf %s "$job" | jq .fence)
    echo "$id claimed $fence"
    if result=$(printf %s "$job" | jq -r '.args[0]' | sh -c "$command"); then
        post "/leases/$id/complete" "$(jq -nc --argjson fence "$fence" --arg result "$result" '$ARGS.named')" &&
            echo "$id completed"
    else
        post "/leases/$id/fail" "{\"fence\":$fence,\"error\":\"the command failed\"}" && echo "$id failed"
    fi
done
