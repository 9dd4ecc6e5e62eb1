"""Those who run jobs: workers, and callers that make manual claims."""

from __future__ import annotations

from hypothesis.stateful import precondition, rule

from tests.model import samples as m
from tests.model.rules.actors import Cast, ending, once_more
from tests.model.samples import BY_HAND, PUT_BACK, Load
from tests.model.side_by_side import Asked
from windlass.core.records import Claimed
from windlass.store.operations.cycle import StartMark


class Owners(Cast):
    """Claim, begin and end, over a network that loses requests and replies."""

    @rule(worker=m.workers, outcome=m.outcomes, load=m.loads, fate=m.fates, does_beat=m.flags)
    def work(self, worker: str, outcome: str, load: Load, fate: str, does_beat: bool) -> None:
        """One turn of a worker: some of its jobs have ended, some have begun, there is room for more."""
        ended, begun, room = load
        if does_beat:
            self.beat(worker)
        live = self.live(worker)
        if outcome in PUT_BACK and ended:
            room = 0  # whether a call may take again what it puts back is left to the store
        if self.lets_go(live[:ended]):
            room = 0  # nor whether it takes what it lets go
        options = {
            "endings": [ending(claim, outcome) for claim in live[:ended]],
            "marks": [StartMark(claim.seq, claim.fence, 5) for claim in live[ended : ended + begun]],
            **self.asking(room, takes_suspect=not begun),
        }
        self.ask(Asked("cycle", (self.claimant(worker),), options), fate)

    @rule(owner=m.owners, outcome=m.outcomes)
    def run(self, owner: str, outcome: str) -> None:
        """Somebody takes jobs and ends them all alike."""
        self.finish(self.take(owner), outcome, worker=owner)

    @rule(limit=m.few, fate=m.fates, verb=m.hands, outcome=m.outcomes)
    def pull(self, limit: int, fate: str, verb: str, outcome: str) -> None:
        """A caller makes a manual claim, and does something with the newest job that it holds."""
        self.ask(Asked("claim", (1 + limit,), self.by_hand()), fate)
        if verb != "wait":
            for claim in self.live(BY_HAND)[-1:]:
                self.write_under(claim, verb, outcome)

    def lets_go(self, ended: list[Claimed]) -> bool:
        """Whether jobs wait for a concurrency key that these runs hold."""
        return bool({claim.concurrency_key for claim in ended} & {job.concurrency_key for job in self.model.blocked()})

    def ask(self, asked: Asked, fate: str) -> None:
        """Make a call whose request or reply the network may lose; the caller asks again later."""
        if fate != "request lost":
            answer = self.do(asked.name, *asked.args, **asked.options)
        if fate == "answered":
            self.remember(answer)
        else:
            self.unanswered.append(asked)

    @precondition(lambda self: self.unanswered)
    @rule(pick=m.picks)
    def ask_again(self, pick: int) -> None:
        name, args, options = once_more(self.unanswered.pop(pick % len(self.unanswered)))
        claimed = self.remember(self.do(name, *args, **options))
        self.tally.see("asked again")
        self.tally.see("claims handed out again", len(claimed))
