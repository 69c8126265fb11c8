#!/usr/bin/env python3
"""Logs of an invented ticket tool, as a company would have them: 60 trajectories, no environment.

    python3 examples/tickets/make_logs.py > tickets.jsonl

Canonical records (docs/formats/trajectory.md), one a line. Three in five agents know what they do, one forgets a
step or takes the wrong ticket, one wanders. The tool exists only in this script: nothing that dreamgym learns
from these lines can look at it.
"""

import argparse
import json
import random

STATUS = ("open", "waiting", "closed")
URGENCY = ("low", "normal", "high")


class Desk:
    """The tool: a list of tickets that can be opened, changed and assigned."""

    def __init__(self, rng):
        numbers = rng.sample(range(1, 100), rng.randint(3, 6))
        self.tickets = {
            n: {
                "status": rng.choice(STATUS),
                "urgency": rng.choice(URGENCY),
                "owner": rng.randint(1, 6),
            }
            for n in sorted(numbers)
        }
        self.shown = None

    def welcome(self):
        return "Ticket desk. " + self.listing()

    def listing(self):
        return "There is " + ", ".join(
            f"ticket {n} ({t['status']})" for n, t in self.tickets.items()
        ) + "."

    def act(self, action):
        words = action.split()
        if action == "list":
            self.shown = None
            return self.listing()
        if words[0] == "open" and int(words[2]) in self.tickets:
            self.shown = int(words[2])
            return self.page()
        if self.shown is None:
            return "No ticket is open."
        ticket = self.tickets[self.shown]
        if words[:2] == ["set", "status"]:
            ticket["status"] = words[2]
        elif words[:2] == ["set", "urgency"]:
            ticket["urgency"] = words[2]
        elif words[0] == "assign":
            ticket["owner"] = int(words[-1])
        else:
            return "Unknown command."
        return "Saved. " + self.page()

    def page(self):
        t = self.tickets[self.shown]
        return (
            f"ticket {self.shown}: status {t['status']}, urgency {t['urgency']}, "
            f"owner agent {t['owner']}."
        )


def draw_task(desk, rng):
    """Ticket, the changes that are wanted, and the sentence."""
    number = rng.choice(list(desk.tickets))
    now = desk.tickets[number]
    changes = {
        "status": rng.choice([s for s in STATUS if s != now["status"]]),
        "urgency": rng.choice([u for u in URGENCY if u != now["urgency"]]),
        "owner": rng.choice([o for o in range(1, 7) if o != now["owner"]]),
    }
    kept = dict(rng.sample(list(changes.items()), rng.randint(1, 2)))
    words = {
        "status": lambda v: f"set its status to {v}",
        "urgency": lambda v: f"set its urgency to {v}",
        "owner": lambda v: f"assign it to agent {v}",
    }
    sentence = f"Take ticket {number}: " + " and ".join(words[k](v) for k, v in kept.items()) + "."
    return number, kept, sentence


def commands_for(changes):
    form = {"status": "set status {}", "urgency": "set urgency {}", "owner": "assign to agent {}"}
    return [form[k].format(v) for k, v in changes.items()]


def plan(kind, desk, number, changes, rng):
    """What this agent does, in order."""
    if kind == "expert":
        return [f"open ticket {number}", *commands_for(changes)]
    if kind == "careless":
        wrong = rng.choice(list(desk.tickets))
        todo = commands_for(changes)
        return [f"open ticket {wrong}", *todo[: rng.randint(0, len(todo))], "list",
                f"open ticket {number}", *todo]
    anything = (
        ["list", "look around"]
        + [f"open ticket {n}" for n in desk.tickets]
        + [f"set status {s}" for s in STATUS]
        + [f"set urgency {u}" for u in URGENCY]
        + [f"assign to agent {a}" for a in range(1, 7)]
    )
    return [rng.choice(anything) for _ in range(10)]


def play(index, rng):
    desk = Desk(rng)
    number, changes, sentence = draw_task(desk, rng)
    kind = rng.choices(("expert", "careless", "lost"), (3, 1, 1))[0]
    state = desk.welcome()
    first = state
    steps = []
    done = False
    for action in plan(kind, desk, number, changes, rng):
        reply = desk.act(action)
        done = all(desk.tickets[number][k] == v for k, v in changes.items())
        valid = reply not in ("No ticket is open.", "Unknown command.")
        steps.append(
            {
                "t": len(steps),
                "state_text": state,
                "action_text": action,
                "action_valid": valid,
                "reward": 1.0 if done else 0.0,
                "next_state_text": reply,
                "terminated": done,
                "truncated": False,
            }
        )
        state = reply
        if done:
            break
    if not done:
        steps[-1]["truncated"] = True
    return {
        "version": 1,
        "episode_id": f"ticket-{index}",
        "world": "none",
        "task": {
            "id": f"task-{index}",
            "text": sentence,
            "split": "train",
            "settings": {"first_observation": first},
        },
        "policy_version": kind,
        "provenance": "real",
        "steps": steps,
        "outcome": {
            "kind": "success" if done else "truncated",
            "success": done,
            "score": 1.0 if done else 0.0,
        },
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--episodes", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    for index in range(options.episodes):
        print(json.dumps(play(index, rng)))


if __name__ == "__main__":
    main()
