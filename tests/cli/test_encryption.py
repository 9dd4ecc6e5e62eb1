"""``windlass keys generate`` and ``windlass rekey``; what is shown without a key."""

from __future__ import annotations

from tests.cli.program import Program
from windlass import new_encryption_key
from windlass.core.encryption.keys import Keys


def test_keys_are_made_and_replaced(windlass: Program) -> None:
    """B25: a new key belongs to those at hand; after a rekey the old one may be dropped."""
    old = windlass("keys", "generate").out.strip()
    made = windlass("keys", "generate", "--json", WINDLASS_ENCRYPTION_KEYS=old).json
    assert made["id"] == Keys([made["key"]]).ids[0]
    both = {"WINDLASS_ENCRYPTION_KEYS": f"{made['key']} {old}"}
    [old_id] = Keys([old]).ids
    windlass.app.configure(encryption_keys=[old])
    job = windlass.app.enqueue(windlass.app.request("mail.welcome", [4711], meta={"who": "ann"}))
    shown = windlass("jobs", "show", job.id).out
    assert f"encrypted (key id {old_id})" in shown
    assert "4711" not in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "4711" in windlass("jobs", "show", job.id, **both).out
    lacking = windlass("rekey", WINDLASS_ENCRYPTION_KEYS=made["key"])
    assert (lacking.code, lacking.out.splitlines()[1]) == (1, f"  2 texts need the key {old_id}, which is not here")
    done = windlass("rekey", "--json", **both)
    assert (done.code, done.json["texts"], done.json["complete"]) == (0, 2, True)
    again = windlass("rekey", **both)
    assert again.out.splitlines() == [
        f"0 texts of 1 job encrypted anew under the key {made['id']}",
        f"  nothing is left under {old_id}: it may be dropped where all processes have {made['id']}",
    ]
    worker = windlass("worker", "--burst", WINDLASS_ENCRYPTION_KEYS=made["key"])
    assert worker.code == 0
    assert made["key"] not in worker.out + worker.error


def test_keys_in_a_file_and_bad_ones(windlass: Program) -> None:
    """B25: an error says which key is wrong, and not what it is."""
    key = new_encryption_key()
    windlass.write("keys.txt", f"# the newest first\n{key}\n")
    assert windlass("rekey", WINDLASS_ENCRYPTION_KEYS_FILE="keys.txt").code == 0
    assert windlass("rekey").is_error(2, "there are no encryption keys", "windlass keys generate")
    missing = windlass("rekey", WINDLASS_ENCRYPTION_KEYS_FILE="nowhere.txt")
    assert missing.is_error(2, "nowhere.txt cannot be read")
    bad = windlass("rekey", WINDLASS_ENCRYPTION_KEYS=key[:40])
    assert bad.is_error(2, "encryption_keys: key 1")
    assert key[:40] not in bad.error


def test_a_search_says_what_it_could_not_look_into(windlass: Program) -> None:
    """B25: in a list and after a change of many; filters by encrypted metadata are refused."""
    key = new_encryption_key()
    keys = {"WINDLASS_ENCRYPTION_KEYS": key}
    windlass.app.configure(encryption_keys=[key])
    windlass.app.enqueue_many([windlass.app.request("mail.welcome", ["secret"], id=id) for id in ("a-1", "a-2", "b")])
    left_out = "not searched: arguments, metadata and errors of {} jobs, which are encrypted"
    assert windlass("jobs", "list", "--text", "secret", **keys).out == f"no jobs match\n{left_out.format(3)}\n"
    assert windlass("jobs", "list", "--text", "secret", "--json", **keys).json["unsearched"] == 3
    assert "not searched" not in windlass("jobs", "list", **keys).out
    cancelled = windlass("jobs", "cancel", "--text", "b", "--state", "pending", "--yes", **keys)
    assert cancelled.out == f"cancelled 1 job; {left_out.format(2)}\n"
    assert windlass("jobs", "cancel", "--meta", "tenant=a", "--yes", **keys).is_error(2, "meta", "encrypted")
