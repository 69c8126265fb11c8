"""Writes the numbers that the tests of dreamgym/train hold its algorithms against.

    python3 tests/golden/math/make_numbers.py

Written apart from the C++ code and in another manner, that of verl: whole batches, padded rows with
masks, gradients by automatic differentiation (forward mode, with stop-gradient). Standard library
only, Python 3.9 or later. Inputs are drawn with a fixed seed and rounded, so that the files can be
read; the same script writes the same bytes.
"""

import difflib
import json
import math
import pathlib
import random
import statistics

FOLDER = pathlib.Path(__file__).parent


# --- numbers with derivatives ------------------------------------------------------------------
class Dual:
    """A number and its derivative with respect to each named input."""

    def __init__(self, value, slopes=None):
        self.value = value
        self.slopes = slopes or {}

    def _with(self, value, *terms):
        slopes = {}
        for factor, term in terms:
            for name, slope in term.slopes.items():
                slopes[name] = slopes.get(name, 0.0) + factor * slope
        return Dual(value, slopes)

    def __add__(self, other):
        other = dual(other)
        return self._with(self.value + other.value, (1, self), (1, other))

    def __mul__(self, other):
        other = dual(other)
        return self._with(self.value * other.value, (other.value, self), (self.value, other))

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + (-dual(other))

    def __rsub__(self, other):
        return dual(other) - self

    def __truediv__(self, number):
        return self * (1.0 / number)


def dual(x):
    return x if isinstance(x, Dual) else Dual(x)


def variable(name, value):
    return Dual(value, {name: 1.0})


def stop(x):
    return Dual(dual(x).value)


def exp(x):
    x = dual(x)
    return x._with(math.exp(x.value), (math.exp(x.value), x))


def log_sigmoid(x):
    x = dual(x)
    value = -math.log1p(math.exp(-x.value)) if x.value > -30 else x.value
    return x._with(value, (1.0 / (1.0 + math.exp(x.value)), x))


def clamp(x, low, high):
    x = dual(x)
    if x.value < low:
        return Dual(low)
    return Dual(high) if x.value > high else x


def maximum(a, b):
    return dual(a) if dual(a).value >= dual(b).value else dual(b)


def minimum(a, b):
    return dual(a) if dual(a).value <= dual(b).value else dual(b)


def absolute(x):
    return x * math.copysign(1.0, x.value)


# --- advantages ----------------------------------------------------------------------------------
def group_scores(rows, every_sample):
    groups, seen = {}, set()
    for row in rows:
        key = (row["group"], row["episode"])
        if key in seen:
            continue
        groups.setdefault(row["group"], []).append(row["score"])
        if not every_sample:
            seen.add(key)
    return groups


def grouped(rows, estimator, every_sample, keep_singletons, epsilon=1e-6):
    """verl's group estimators; None where our default leaves a singleton out."""
    out = []
    groups = group_scores(rows, every_sample)
    for row in rows:
        scores = groups[row["group"]]
        if len(scores) == 1:
            out.append(row["score"] if keep_singletons else None)
            continue
        mean, deviation = statistics.fmean(scores), statistics.stdev(scores)
        value = row["score"] - mean
        if estimator == "grpo":
            value /= deviation + epsilon
        elif estimator == "rloo":
            value = row["score"] * len(scores) / (len(scores) - 1) - mean * len(scores) / (
                len(scores) - 1)
        out.append(value)
    return out


def whiten(rows, mask):
    kept = [v for row, m in zip(rows, mask) for v, keep in zip(row, m) if keep]
    mean = sum(kept) / len(kept)
    variance = sum((v - mean) ** 2 for v in kept) / len(kept) * len(kept) / (len(kept) - 1)
    return [[(v - mean) / math.sqrt(variance + 1e-8) * keep for v, keep in zip(row, m)]
            for row, m in zip(rows, mask)]


def gae(rewards, values, mask, gamma, lam, after=0.0):
    """Backwards over all positions; masked ones hand on what they were given."""
    next_value, running, out = after, 0.0, []
    for r, v, m in zip(reversed(rewards), reversed(values), reversed(mask)):
        candidate = r + gamma * next_value - v + gamma * lam * running
        next_value = v * m + (1 - m) * next_value
        running = candidate * m + (1 - m) * running
        out.append(running * m)
    return out[::-1]


def two_level(rewards, values, mask, turns, high, low):
    """Turn ends first, then every token with the turn's return as the reward of its end."""
    chosen = [t for t, m in enumerate(mask) if m]
    ends = [t for t in chosen if t == max(c for c in chosen if turns[c] == turns[t])]
    updated, advantage = list(rewards), 0.0
    for i in reversed(range(len(ends))):
        following = values[ends[i + 1]] if i + 1 < len(ends) else 0.0
        delta = rewards[ends[i]] + high[0] * following - values[ends[i]]
        advantage = delta + high[0] * high[1] * advantage
        updated[ends[i]] = advantage + values[ends[i]]
    out, running = [0.0] * len(rewards), 0.0
    for i in reversed(range(len(chosen))):
        t = chosen[i]
        is_end = t in ends
        following = 0.0 if is_end else values[chosen[i + 1]]
        running = updated[t] + low[0] * following - values[t] + (
            0.0 if is_end else low[0] * low[1] * running)
        out[t] = running
    return out


def gigpo(steps, gamma, weight, scale, every_step, similarity):
    rows = [{"group": s["group"], "episode": s["episode"], "score": s["episode_score"]}
            for s in steps]
    episode = grouped(rows, "grpo" if scale else "dr-grpo", every_step, True)
    returns = []
    for i, step in enumerate(steps):
        later = [s for s in steps[i:] if s["episode"] == step["episode"]]
        returns.append(sum(gamma ** k * s["reward"] for k, s in enumerate(later)))
    clusters, label = {}, []
    for step in steps:
        known = clusters.setdefault(step["group"], [])
        for number, first in enumerate(known):
            same = difflib.SequenceMatcher(None, step["anchor"], first, autojunk=False).ratio()
            if step["anchor"] == first or same >= similarity:
                label.append((step["group"], number))
                break
        else:
            known.append(step["anchor"])
            label.append((step["group"], len(known) - 1))
    part = []
    for i in range(len(steps)):
        peers = [returns[j] for j in range(len(steps)) if label[j] == label[i]]
        value = returns[i] - statistics.fmean(peers)
        if scale and len(peers) > 1:
            value /= statistics.stdev(peers) + 1e-6
        part.append(value)
    total = [e + weight * s for e, s in zip(episode, part)]
    return {"returns": returns, "episode_part": episode, "step_part": part, "advantages": total}


# --- losses --------------------------------------------------------------------------------------
def kl(name, d):
    value = {"k1": lambda: d, "abs": lambda: absolute(d), "k2": lambda: d * d / 2,
             "k3": lambda: clamp(exp(clamp(-d, -20, 20)) - clamp(-d, -20, 20) - 1.0, -10, 10)}
    if name.endswith("+"):
        forward, backward = value[name[:-1]](), value["k2"]()
        return backward - stop(backward) + stop(forward)
    return value[name]()


def clipped(ratio, advantage, low, high, dual_clip):
    loss = maximum(-advantage * ratio, -advantage * clamp(ratio, 1 - low, 1 + high))
    if dual_clip and advantage < 0:
        loss = minimum(loss, -advantage * dual_clip)
    return loss


def surrogate(kind, row, config):
    """Token losses of one padded row."""
    d = [lp - old for lp, old in zip(row["lp"], row["old_logprobs"])]
    low, high = config["clip_low"], config["clip_high"]
    losses = []
    if kind == "gspo":
        length = max(1, sum(row["mask"]))
        mean = sum((x * m for x, m in zip(d, row["mask"])), dual(0.0)) / length
        for lp, a in zip(row["lp"], row["advantages"]):
            ratio = exp(clamp(lp - stop(lp) + stop(mean), -20, 20))
            losses.append(clipped(ratio, a, low, high, config["dual_clip"]))
    elif kind == "cispo":
        for x, lp, a in zip(d, row["lp"], row["advantages"]):
            weight = stop(clamp(exp(clamp(x, -20, 20)), max(0.0, 1 - low), 1 + high))
            losses.append(-(weight * a * lp))
    else:
        for x, a in zip(d, row["advantages"]):
            losses.append(clipped(exp(clamp(x, -20, 20)), a, low, high, config["dual_clip"]))
    return [loss * w for loss, w in zip(losses, row["weights"])]


def aggregate(rows, losses, mode, constant):
    mask = [row["mask"] for row in rows]
    kept = [[x * m for x, m in zip(loss, ms)] for loss, ms in zip(losses, mask)]
    sums = [sum(row, dual(0.0)) for row in kept]
    if mode == "token-mean":
        return sum(sums, dual(0.0)) / sum(map(sum, mask))
    if mode == "seq-mean-token-sum-norm":
        return sum(sums, dual(0.0)) / constant
    used = sum(1 for ms in mask if sum(ms) > 0)
    if mode == "seq-mean-token-mean":
        sums = [s / max(1, sum(ms)) for s, ms in zip(sums, mask)]
    return sum(sums, dual(0.0)) / used


def objective(rows, config):
    for r, row in enumerate(rows):
        row["lp"] = [variable((r, t, "lp"), v) for t, v in enumerate(row["logprobs"])]
        row["h"] = [variable((r, t, "h"), v) for t, v in enumerate(row["entropies"])]
    losses = []
    for row in rows:
        policy = surrogate(config["surrogate"], row, config)
        losses.append([
            p + config["kl_coefficient"] * kl(config["kl"], lp - ref) -
            config["entropy_coefficient"] * h
            for p, lp, ref, h in zip(policy, row["lp"], row["reference_logprobs"], row["h"])])
    total = aggregate(rows, losses, config["aggregation"], config["constant"])
    for row in rows:
        del row["lp"], row["h"]
    slope = [[[total.slopes.get((r, t, name), 0.0) for t in range(len(row["mask"]))]
              for r, row in enumerate(rows)] for name in ("lp", "h")]
    return {"loss": total.value, "d_logprob": slope[0], "d_entropy": slope[1]}


def value_loss(value, old, target, clip):
    v = variable("v", value)
    near = old + clamp(v - old, -clip, clip)
    loss = 0.5 * maximum((v - target) * (v - target), (near - target) * (near - target))
    return {"loss": loss.value, "d_value": loss.slopes.get("v", 0.0)}


def preference(pair, config):
    """Every token is a variable, so that the derivative is that of one token."""
    tokens = {side: [variable((side, t), pair[side] / pair[side + "_tokens"])
                     for t in range(pair[side + "_tokens"])] for side in ("chosen", "rejected")}
    total = {side: sum(tokens[side], dual(0.0)) for side in tokens}
    ratio = {side: total[side] - pair["reference_" + side] for side in tokens}
    if config["length_normalised"]:
        ratio = {side: ratio[side] / pair[side + "_tokens"] for side in ratio}
    h, beta, smooth = ratio["chosen"] - ratio["rejected"], config["beta"], config["label_smoothing"]
    if config["kind"] == "ipo":
        loss = (h - 1 / (2 * beta)) * (h - 1 / (2 * beta))
    elif config["kind"] == "hinge":
        loss = maximum(1 - beta * h, 0.0)
    else:
        loss = -log_sigmoid(beta * h) * (1 - smooth) - log_sigmoid(-beta * h) * smooth
    loss = loss + config["sft_weight"] * -(total["chosen"] / pair["chosen_tokens"])
    return {"loss": loss.value,
            "d_chosen": loss.slopes.get(("chosen", 0), 0.0),
            "d_rejected": loss.slopes.get(("rejected", 0), 0.0)}


def mismatch(trainer, engine):
    w = [math.exp(max(-20.0, min(20.0, a - b))) for a, b in zip(trainer, engine)]
    product = math.exp(max(-20.0, min(20.0, sum(trainer) - sum(engine))))
    geometric = math.exp((sum(trainer) - sum(engine)) / len(w))
    perplexity = [math.exp(-statistics.fmean(x)) for x in (trainer, engine)]
    return {
        "token_truncated": [min(x, 2.0) for x in w],
        "sequence_masked": [product if product <= 3.0 else 0.0 for _ in w],
        "token_gate": [1.0 if 0.5 <= x <= 2.0 else 0.0 for x in w],
        "geometric_gate": [1.0 if 0.99 <= geometric <= 1.01 else 0.0 for _ in w],
        "mean_ratio": statistics.fmean(w),
        "max_ratio": max(w),
        "outside_share": sum(1 for x in w if not 0.5 <= x <= 2.0) / len(w),
        "kl_k1": statistics.fmean(engine) - statistics.fmean(trainer),
        "kl_k3": statistics.fmean([x - 1 - math.log(x) for x in w]),
        "perplexity_ratio": perplexity[0] / perplexity[1],
        "effective_sample_share": sum(w) ** 2 / sum(x * x for x in w) / len(w),
    }


# --- cases ---------------------------------------------------------------------------------------
def draw(rng, low, high):
    return round(rng.uniform(low, high), 6)


def draws(rng, count, low, high):
    return [draw(rng, low, high) for _ in range(count)]


def advantage_cases(rng):
    rows = [{"group": g, "episode": 10 * g + e, "score": score}
            for g, episodes in enumerate([[10, 0, 0, 10, 0], [0.5, 0.5], [2.25], [1, -0.1]], 1)
            for e, score in enumerate(episodes) for _ in range(1 + (e + g) % 3)]
    for row in rows[::4]:
        row["score"] = round(row["score"] - 0.1, 6)  # a step with an invalid action
    rng.shuffle(rows)
    return [{"rows": rows, "estimator": estimator, "every_sample": every, "keep_singletons": keep,
             "advantages": grouped(rows, estimator, every, keep)}
            for estimator in ("grpo", "dr-grpo", "rloo")
            for every in (False, True) for keep in (False, True)]


def masked_row(rng, length):
    mask = [rng.randrange(3) > 0 for _ in range(length)]
    mask[rng.randrange(length)] = True
    turns, turn = [], 0
    for t in range(length):
        turn += 1 if t and mask[t] and not mask[t - 1] else 0
        turns.append(turn)
    rewards = [draw(rng, -1, 1) if m else 0.0 for m in mask]
    return [int(m) for m in mask], turns, rewards


def gae_cases(rng):
    cases = []
    settings = ((1.0, 1.0, 0.0), (0.95, 0.9, 0.0), (0.99, 0.5, 0.7), (0.9, 0.0, -0.4))
    for gamma, lam, after in settings:
        mask, turns, rewards = masked_row(rng, 12)
        values = draws(rng, 12, -1, 1)
        chosen = [t for t, m in enumerate(mask) if m]
        ends = [t for t in chosen if t == max(c for c in chosen if turns[c] == turns[t])]
        turn_rewards = [r if t in ends else 0.0 for t, r in enumerate(rewards)]
        cases.append({"gamma": gamma, "lambda": lam, "after": after, "mask": mask, "turns": turns,
                      "values": values, "rewards": rewards, "turn_rewards": turn_rewards,
                      "advantages": gae(rewards, values, mask, gamma, lam, after),
                      "two_level": two_level(turn_rewards, values, mask, turns, (0.95, 0.8),
                                             (gamma, lam))})
    return cases


def reinforce_cases(rng):
    cases = []
    for gamma in (1.0, 0.9):
        batch = [masked_row(rng, n) for n in (5, 9, 7)]
        mask = [row[0] for row in batch]
        rewards = [row[2] for row in batch]
        returns = [gae(r, [0.0] * len(r), m, gamma, 1.0) for r, m in zip(rewards, mask)]
        scores = [(1, 1.0), (1, 0.0), (2, 0.5), (1, 1.0), (2, -0.25)]
        rows = [{"group": g, "episode": i, "score": s} for i, (g, s) in enumerate(scores)]
        tokens = [3, 1, 4, 2, 5]
        centred = grouped(rows, "dr-grpo", False, True)
        spread = [[a] * n for a, n in zip(centred, tokens)]
        baseline = whiten(spread, [[1] * n for n in tokens])
        cases.append({"gamma": gamma, "mask": mask, "rewards": rewards,
                      "advantages": whiten(returns, mask), "rows": rows, "tokens": tokens,
                      "baseline": [row[0] for row in baseline]})
    return cases


def gigpo_cases(rng):
    rooms = ["you are in the kitchen. you see a mug 1.", "you are in the kitchen. you see a mug 2.",
             "you are in the bedroom. the bed is here."]
    steps = []
    for group in (1, 2):
        for episode in range(3):
            success = rng.randrange(2)
            length = rng.randrange(2, 6)
            rewards = [0.0] * (length - 1) + [float(success)]
            invalid = rng.randrange(length)
            rewards[invalid] = round(rewards[invalid] - 0.1, 6)
            steps += [{"group": group, "episode": 10 * group + episode,
                       "episode_score": float(success), "reward": r, "anchor": rng.choice(rooms)}
                      for r in rewards]
    return [{"steps": steps, "gamma": gamma, "weight": weight, "scale": scale, "every_step": every,
             "similarity": similarity, **gigpo(steps, gamma, weight, scale, every, similarity)}
            for gamma, weight, scale, every, similarity in (
                (0.95, 1.0, True, True, 1.0), (0.95, 1.0, False, False, 1.0),
                (0.9, 0.5, True, False, 0.9), (1.0, 0.0, True, False, 1.0))]


def similarity_cases(rng):
    texts = ["", "abcd", "bcde", "you see a mug 1 and a cup 2.", "you see a cup 2 and a mug 1.",
             "".join(rng.choice("ab ") for _ in range(60)),
             "".join(rng.choice("ab ") for _ in range(80))]
    return [{"a": a, "b": b, "ratio": difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()}
            for a in texts for b in texts]


def kl_cases():
    cases = []
    for name in ("k1", "abs", "k2", "k3", "k1+", "abs+", "k2+", "k3+"):
        for value in (-25.0, -3.0, -1.2, -0.01, 0.3, 2.0, 9.0, 25.0):
            term = kl(name, variable("d", value))
            cases.append({"estimator": name.rstrip("+"), "straight_through": name.endswith("+"),
                          "difference": value, "value": term.value,
                          "d_logprob": term.slopes.get("d", 0.0)})
    return cases


def policy_cases(rng):
    rows = []
    for length in (6, 3, 8, 4):
        mask = [0] * length if length == 4 else masked_row(rng, length)[0]
        old = draws(rng, length, -2.5, -0.05)
        spread = 0.4 if length != 8 else 1.6
        rows.append({"mask": mask, "old_logprobs": old,
                     "logprobs": [round(o + rng.uniform(-spread, spread), 6) for o in old],
                     "reference_logprobs": [round(o + rng.uniform(-1, 1), 6) for o in old],
                     "entropies": draws(rng, length, 0, 2), "advantages": draws(rng, length, -2, 2),
                     "weights": draws(rng, length, 0, 2)})
    base = {"surrogate": "clipped", "clip_low": 0.2, "clip_high": 0.2, "dual_clip": 0.0,
            "kl_coefficient": 0.0, "kl": "k3", "entropy_coefficient": 0.0,
            "aggregation": "token-mean", "constant": 64.0}
    changes = [{}, {"clip_high": 0.28}, {"dual_clip": 1.5, "kl_coefficient": 0.01},
               {"kl_coefficient": 0.2, "kl": "k2"}, {"kl_coefficient": 0.2, "kl": "k1+"},
               {"kl_coefficient": 0.2, "kl": "abs", "entropy_coefficient": 0.05},
               {"aggregation": "seq-mean-token-sum"}, {"aggregation": "seq-mean-token-mean"},
               {"aggregation": "seq-mean-token-sum-norm", "entropy_coefficient": 0.01},
               {"surrogate": "gspo", "clip_low": 3e-4, "clip_high": 4e-4,
                "aggregation": "seq-mean-token-mean"},
               {"surrogate": "gspo", "clip_low": 0.3, "clip_high": 0.5, "kl_coefficient": 0.1,
                "aggregation": "seq-mean-token-mean"},
               {"surrogate": "cispo", "clip_low": 1.0, "clip_high": 0.2, "kl_coefficient": 0.1}]
    cases = [{**base, **change} for change in changes]
    return {"rows": rows, "cases": [{"config": c, **objective(rows, c)} for c in cases]}


def value_cases(rng):
    return [{"value": v, "old": o, "target": t, "clip": 0.5, **value_loss(v, o, t, 0.5)}
            for v, o, t in (draws(rng, 3, -2, 2) for _ in range(12))]


def preference_cases(rng):
    cases = []
    for kind, smooth in (("dpo", 0.0), ("dpo", 0.1), ("ipo", 0.0), ("hinge", 0.0)):
        for normalised in (False, True):
            for sft in (0.0, 0.5):
                config = {"kind": kind, "beta": rng.choice([0.1, 0.5]), "label_smoothing": smooth,
                          "length_normalised": normalised, "sft_weight": sft}
                pair = {"chosen": draw(rng, -30, -5), "rejected": draw(rng, -30, -5),
                        "reference_chosen": draw(rng, -30, -5),
                        "reference_rejected": draw(rng, -30, -5), "chosen_tokens": 6,
                        "rejected_tokens": 9}
                cases.append({"pair": pair, "config": config, **preference(pair, config)})
    return cases


def mismatch_cases(rng):
    cases = []
    for spread in (0.001, 0.2, 1.2):
        trainer = draws(rng, 6, -3, 0)
        engine = [round(x + rng.uniform(-spread, spread), 6) for x in trainer]
        cases.append({"trainer": trainer, "engine": engine, **mismatch(trainer, engine)})
    return cases


def lines(items):
    """A list with an item a line."""
    return "[\n" + ",\n".join(json.dumps(item) for item in items) + "\n]"


def main():
    rng = random.Random(20251103)
    files = {"advantages": advantage_cases(rng), "gae": gae_cases(rng),
             "reinforce_pp": reinforce_cases(rng), "gigpo": gigpo_cases(rng),
             "similarity": similarity_cases(rng), "kl": kl_cases(), "policy": policy_cases(rng),
             "value": value_cases(rng), "preference": preference_cases(rng),
             "mismatch": mismatch_cases(rng)}
    for name, content in files.items():
        if isinstance(content, dict):
            parts = [f'"{key}": {lines(items)}' for key, items in content.items()]
            text = "{" + ",\n".join(parts) + "}\n"
        else:
            text = lines(content) + "\n"
        (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")


main()
