// The sections above the episodes: what came out, how it got there, whether to trust it, what it cost.
const results = data.results || {arms: [], paired: [], fidelity: {}, fidelity_misses: [], notes: [], world: "", real_evaluation: true};
const measured = results.arms.filter((arm) => isNumber(arm.success) && arm.n > 0);
const titleOf = (name) => { const arm = results.arms.find((a) => a.arm === name); return (arm && arm.title) || name; };
const colourOfPhase = new Map();
function phaseColour(phase) {
  if (!colourOfPhase.has(phase)) colourOfPhase.set(phase, "--s" + (1 + (colourOfPhase.size % numSeriesColours)));
  return colourOfPhase.get(phase);
}

function section(id, title, remark, ...children) {
  return {id, title, node: el("section", {id}, el("div", {class: "head"}, el("h2", {}, title), remark && el("p", {}, remark)), ...children)};
}

function facts() {
  const run = data.run || {};
  const list = [];
  const add = (label, value) => {
    if (value !== undefined && value !== null && typeof value !== "object" && value !== "") list.push([label, String(value)]);
  };
  const world = results.world || run.world;
  add("World", world === "none" ? "none (only logs)" : world);
  add("Seed", data.results ? results.seed : run.seed);
  add("Program", run.program || run.version);
  add("Commit", run.commit);
  add("Processor", run.processor);
  add("Threads", run.threads);
  return list.map(([label, value]) => el("li", {}, el("b", {}, label), value));
}

function tile(label, value, more, kind) {
  return el("div", {class: "tile"}, el("div", {class: "label"}, label), el("div", {class: "value " + (kind || "")}, value), more && el("div", {class: "more"}, more));
}

function tiles() {
  const list = [];
  if (measured.length) {
    const best = measured.reduce((a, b) => (b.success > a.success ? b : a));
    list.push(tile("Best real success", percent(best.success), `${titleOf(best.arm)}, ${percent(best.ci_low, 0)} to ${percent(best.ci_high, 0)} on ${plural(best.n, "task")}`));
  }
  const gain = results.paired[0];
  if (gain) {
    const clear = gain.ci_low > 0 ? "up" : gain.ci_high < 0 ? "down" : "";
    list.push(tile(`${words(gain.a)} minus ${words(gain.b)}`, points(gain.difference) + " pts", `95% interval ${points(gain.ci_low)} to ${points(gain.ci_high)}, ${plural(gain.n, "pair")}`, clear));
  }
  const check = results.check;
  if (check && check.gap) {
    list.push(tile("Dream minus reality", points(check.gap.value) + " pts", check.passed ? "free-running check passed" : "free-running check failed", check.passed ? "" : "down"));
  }
  // Arms share their first stages, so their times do not add up.
  const longest = results.arms.reduce((a, b) => ((b.seconds || 0) > (a.seconds || 0) ? b : a), {});
  if (longest.seconds > 0) list.push(tile("Training of the longest arm", duration(longest.seconds), `${titleOf(longest.arm)}, ${short(longest.tokens)} tokens`));
  if (data.num_episodes) list.push(tile("Episodes kept", whole(data.num_episodes), data.episodes.length < data.num_episodes ? whole(data.episodes.length) + " of them in this page" : ""));
  return list.length ? el("div", {class: "grid tiles"}, list) : null;
}

function notices() {
  const list = [];
  if (!results.real_evaluation) list.push(notice("", "There was no real world", ["This run learned from logs alone. Nothing here says how the policy does in reality."]));
  if (results.notes.length) list.push(notice("", "To keep in mind", results.notes));
  if (data.alarms.length) list.push(el("div", {class: "notice bad"}, el("strong", {}, plural(data.alarms.length, "guard") + " found something. "), el("a", {href: "#guards"}, "See the guards")));
  if (data.missing.length) list.push(notice("warn", "Not in this run folder", data.missing));
  if (data.problems.length) list.push(notice("bad", "Could not be read", data.problems));
  return list;
}

const armColour = (arm) => (/dream|s2r/i.test(arm) ? "--dream" : /random|start/i.test(arm) ? "--s8" : "--real");

function comparison() {
  if (!results.arms.length) return section("comparison", "Comparison", "", empty(data.results ? "This run compared nothing." : "results.json is not there yet."));
  const best = measured.length ? Math.max(...measured.map((arm) => arm.success)) : null;
  const cards = [];
  if (measured.length) {
    cards.push(el("div", {class: "card"}, el("h3", {}, "Real success"), el("p", {class: "sub"}, "On held-out tasks; whiskers are 95% intervals."),
      barChart("Real success of each arm with its 95% interval", measured.map((arm) => ({
        name: words(arm.arm), value: arm.success, low: arm.ci_low, high: arm.ci_high, label: percent(arm.success), colour: armColour(arm.arm)})),
        {max: 1, format: (v) => Math.round(100 * v) + "%"})));
  }
  cards.push(el("div", {class: "card"}, table([
    {head: "Arm", class: "name", cell: (a) => [a.title || a.arm, a.note && el("div", {class: "remark"}, a.note)]},
    {head: "Real success", class: "n", cell: (a) => (a.n ? percent(a.success) : "not measured")},
    {head: "95% interval", class: "n", cell: (a) => (a.n ? `${percent(a.ci_low)} – ${percent(a.ci_high)}` : "–")},
    {head: "Tasks", class: "n", cell: (a) => whole(a.n)},
    {head: "Offline steps", class: "n", cell: (a) => whole(a.offline_steps)},
    {head: "Real steps", class: "n", cell: (a) => whole(a.real_steps)},
    {head: "Dreamed steps", class: "n", cell: (a) => whole(a.dreamed_steps)},
    {head: "Tokens", class: "n", cell: (a) => short(a.tokens)},
    {head: "Time", class: "n", cell: (a) => duration(a.seconds)},
  ], results.arms, (a) => (a.n && a.success === best ? "best" : ""))));
  if (results.paired.length) {
    cards.push(el("div", {class: "card"}, el("h3", {}, "Paired differences"),
      el("p", {class: "sub"}, "Both policies played the same tasks. Clear means that the 95% interval leaves out zero."), table([
        {head: "Comparison", class: "name", cell: (p) => `${titleOf(p.a)} − ${titleOf(p.b)}`},
        {head: "Difference (points)", class: "n", cell: (p) => points(p.difference)},
        {head: "95% interval", class: "n", cell: (p) => `${points(p.ci_low)} to ${points(p.ci_high)}`},
        {head: "Pairs", class: "n", cell: (p) => whole(p.n)},
        {head: "", class: "", cell: (p) => (p.ci_low > 0 ? badge("▲ clearly better", "good") : p.ci_high < 0 ? badge("▼ clearly worse", "bad") : badge("not clear"))},
      ], results.paired)));
  }
  return section("comparison", "Comparison", "Every arm starts from the same model and is judged on the same tasks.", cards);
}

const isSuccess = (name) => /success(_share|_rate)?$/.test(name) && !/refused|missed|false|dreamed_success_refused/.test(name);
// Whose word a success rate is: the experience model's, or the world's.
const dreamedMetric = (series) => !/real/.test(series.name) && (/dream/.test(series.name) || (/dream/.test(series.phase) && !/^evaluate/.test(series.phase)));

function learning() {
  const success = data.metrics.filter((s) => isSuccess(s.name));
  if (!success.length) return section("learning", "Learning curves", "", empty(data.metrics.length ? "No phase of this run measured success." : "metrics.jsonl has no values yet."));
  const kind = (s) => words(s.name.replace(/_?success(_share|_rate)?$/, "").replace(/^rollout\//, ""));
  const curve = (s) => ({
    label: words(s.phase) + (kind(s) ? ` (${kind(s)})` : ""),
    points: s.points, colour: phaseColour(s.phase), dashed: /validation|eval/.test(s.name)});
  const panel = (title, remark, series, nothing) => {
    const curves = series.map(curve);
    return el("div", {class: "card"}, el("h3", {}, title), el("p", {class: "sub"}, remark),
      curves.length ? [lineChart(title, curves, {share: true}), legend(curves)] : empty(nothing));
  };
  return section("learning", "Learning curves", "Success over training, on the same scale. Thin: as measured; bold: smoothed.",
    el("div", {class: "grid two"},
      panel("In the dream", "What the experience model says", success.filter(dreamedMetric), "Nothing was dreamed."),
      panel("In reality", "What the world says", success.filter((s) => !dreamedMetric(s)), "Reality was not played.")));
}

function freeRunning() {
  const check = results.check;
  if (!check) return el("div", {class: "card"}, el("h3", {}, "Free-running check"), empty("No free-running check in this run."));
  const row = (label, share, colour) => share && el("div", {class: "measure"},
    el("div", {class: "row"}, el("span", {}, label), el("b", {}, percent(share.value))), intervalBar(share, `var(${colour})`),
    el("div", {class: "more"}, `95% interval ${percent(share.ci_low)} to ${percent(share.ci_high)}`));
  const single = (label, text, more) => el("div", {class: "measure"}, el("div", {class: "row"}, el("span", {}, label), el("b", {}, text)), more && el("div", {class: "more"}, more));
  return el("div", {class: "card"},
    el("div", {class: "head"}, el("h3", {}, "Free-running check"),
      check.passed ? badge("✓ passed", "good") : badge("✗ failed", "bad")),
    (check.alarms || []).map((alarm) => el("div", {class: "notice bad"}, el("strong", {}, "Alarm: "), alarm)),
    el("p", {class: "sub"}, "The policy about to be trained played the dream" + (check.real_success ? " and reality" : "") + ` on the same ${plural(check.n, "task")}. ${check.verdict}`),
    el("div", {class: "measures"},
      row("Success in the dream", check.dreamed_success, "--dream"),
      row("Success in reality", check.real_success, "--real"),
      row("Success of the logs' agents", check.logged_success, "--real"),
      check.above_logs && single("Dream minus logs (points)", points(check.above_logs.value), `95% interval ${points(check.above_logs.ci_low)} to ${points(check.above_logs.ci_high)}`),
      check.gap && single("Gap (points)", points(check.gap.value), `95% interval ${points(check.gap.ci_low)} to ${points(check.gap.ci_high)}`),
      isNumber(check.confirmed_share) && single("Dreamed successes confirmed", percent(check.confirmed_share), "by a rule check of the episode's own text"),
      isNumber(check.second_looks_agree) && single("Second looks that agree", percent(check.second_looks_agree), "show what must be there by what was shown and changed before"),
      isNumber(check.contradictions_per_episode) && single("Contradictions an episode", short(check.contradictions_per_episode), "with what the episode showed earlier")));
}

// What the measures mean; docs/metrics.md has the formulas.
const measureText = {
  predictable_observation_exact: "next observation exactly right, where the episode's past determines it",
  predictable_trace_exact: "reasoning trace exactly right, same steps",
  predictable_admissible_exact: "candidate actions exactly right, same steps",
  hidden_observation_exact: "first looks at contents nobody has seen: chance, not skill",
  hidden_admissible_exact: "candidate actions after such first looks",
  reward_correct: "steps whose reward is right",
  end_correct: "steps whose end flag is right",
  held_out_steps: "steps measured on",
  true_successes: "successes among the held-out steps",
  missed_successes: "of these, not predicted",
  false_successes: "predicted where there is none",
  unparsable_share: "replies that were no observation with an end flag",
  luck_return_deviation: "spread of the return when the same actions are dreamed again",
  luck_flipped_share: "episodes whose outcome then changes",
  replay_confirmed: "dreamed successes that succeed when replayed in reality",
  replay_dreamed_successes: "dreamed successes that were replayed",
  replay_real_successes: "replayed episodes that really succeed",
  replay_same_observation: "replayed steps whose real observation is the dreamed one",
  dream_refused_successes: "successes refused because wanted and reached differ",
  dream_unparsable: "unparsable replies in the check",
};
const measureGroups = [
  ["One step ahead", "On held-out real transitions, with the true history", /^(predictable|hidden|reward|end)_/],
  ["Successes", "Where the reward is decided", /_successes$|^held_out/],
  ["Free running", "The dream played and replayed", /./],
];

function fidelity() {
  const order = (name) => { const place = Object.keys(measureText).indexOf(name); return place < 0 ? 1e9 : place; };
  const rest = new Set(Object.keys(results.fidelity).filter((name) => isNumber(results.fidelity[name])).sort((a, b) => order(a) - order(b)));
  const measure = (name) => {
    const value = results.fidelity[name];
    const share = isShare(name) || /_(exact|correct)$|same_observation$/.test(name);
    return el("div", {class: "measure"},
      el("div", {class: "row"}, el("span", {}, words(name)), el("b", {}, share ? percent(value) : Number.isInteger(value) ? whole(value) : short(value))),
      share && el("div", {class: "meter"}, el("i", {style: {width: Math.min(100, Math.max(0, 100 * value)) + "%"}})),
      Object.hasOwn(measureText, name) && el("div", {class: "more"}, measureText[name]));
  };
  const groups = measureGroups.map(([title, remark, pattern]) => {
    const names = [...rest].filter((name) => pattern.test(name) && !(title === "Successes" && /^(replay|dream)_/.test(name)));
    names.forEach((name) => rest.delete(name));
    return names.length ? el("div", {class: "card"}, el("h3", {}, title), el("p", {class: "sub"}, remark), el("div", {class: "measures"}, names.map(measure))) : null;
  }).filter(Boolean);
  const misses = results.fidelity_misses.length ? el("details", {class: "card"}, el("summary", {}, `Wrong predictions (${results.fidelity_misses.length} examples)`),
    el("div", {style: {marginTop: "10px"}}, table([
      {head: "Action", class: "name mono", cell: (m) => m[0]}, {head: "Expected", class: "text", cell: (m) => m[1] || ""}, {head: "Dreamed", class: "text", cell: (m) => m.slice(2).join(" | ")},
    ], results.fidelity_misses.map((miss) => miss.split(" | "))))) : null;
  return section("fidelity", "Experience model", "How far the dream can be trusted.", freeRunning(),
    groups.length ? groups : el("div", {class: "card"}, el("h3", {}, "Fidelity"), empty("Fidelity was not measured.")), misses);
}

// The terms of Theorem 1 where the policy was evaluated: what an update promises, and what it may cost.
const theoryTerms = [
  ["theory/surrogate_gain", "surrogate gain", "--real", 1],
  ["theory/trust_region_penalty", "trust-region penalty", "--s2", -1],
  ["theory/model_penalty", "model penalty", "--dream", -1],
];

function theory() {
  const phases = [...new Set(data.metrics.filter((s) => s.name === "theory/improvement").map((s) => s.phase))];
  if (!phases.length) return null;
  const panel = (phase) => {
    const points = (name) => { const series = data.metrics.find((s) => s.phase === phase && s.name === name); return series ? series.points : []; };
    const steps = points("theory/improvement").map(([step]) => step);
    const stacks = theoryTerms.map(([name, label, colour, sign]) => ({label, colour, values: points(name).map(([, value]) => sign * value)}));
    const rows = steps.map((step, i) => ({step, terms: stacks.map((s) => s.values[i]), sum: points("theory/improvement")[i][1],
      advantage: (points("theory/surrogate_advantage")[i] || [])[1], divergence: (points("theory/divergence_nats")[i] || [])[1]}));
    return el("div", {class: "card"}, el("h3", {}, words(phase)),
      el("p", {class: "sub"}, "J(new) − J(old) is at least the sum, if the dream's errors were nowhere larger than on average over held-out steps."),
      stackedChart(`Terms of Theorem 1 in ${phase}`, steps, stacks),
      el("ul", {class: "legend"}, stacks.map((s) => el("li", {}, el("span", {class: "swatch", style: {borderColor: `var(${s.colour})`}}), s.label))),
      table([
        {head: "Iteration", class: "n", cell: (r) => whole(r.step)},
        ...theoryTerms.map(([, label], i) => ({head: label, class: "n", cell: (r) => short(r.terms[i])})),
        {head: "Promise", class: "n", cell: (r) => short(r.sum)},
        {head: "Mean advantage", class: "n", cell: (r) => (isNumber(r.advantage) ? short(r.advantage) : "–")},
        {head: "Divergence (nats)", class: "n", cell: (r) => (isNumber(r.divergence) ? short(r.divergence) : "–")},
      ], rows));
  };
  return section("theory", "Theorem 1", "What the update of an evaluated iteration promises in reality, term by term.", phases.map(panel));
}

const timeParts = ["generation", "environment", "retrieval", "update", "rest"];

// Where the iterations of each stage spent their time.
function timeTable() {
  const phases = [...new Set(data.metrics.filter((s) => s.name === "time/iteration_seconds").map((s) => s.phase))];
  if (!phases.length) return null;
  const sum = (phase, name) => {
    const series = data.metrics.find((s) => s.phase === phase && s.name === `time/${name}_seconds`);
    return series ? series.points.reduce((total, [, value]) => total + (value || 0), 0) : 0;
  };
  return el("div", {class: "card"}, el("h3", {}, "Time of an iteration"),
    el("p", {class: "sub"}, "Shares of the iterations' wall time, validation left out. Generation is that of the policy and of the dream."), table([
      {head: "Stage", class: "name", cell: (phase) => words(phase)},
      {head: "Time", class: "n", cell: (phase) => duration(sum(phase, "iteration"))},
      ...timeParts.map((part) => ({head: part, class: "n", cell: (phase) => percent(sum(phase, part) / Math.max(1e-9, sum(phase, "iteration")))})),
    ], phases));
}

function cost() {
  if (!results.arms.length) return section("cost", "Cost", "", empty("No arms, so no cost to show."));
  const panel = (title, remark, value, format) => el("div", {class: "card"}, el("h3", {}, title), el("p", {class: "sub"}, remark),
    barChart(title, results.arms.map((arm) => ({name: words(arm.arm), value: value(arm) || 0, label: format(value(arm)), colour: armColour(arm.arm)})), {format}));
  return section("cost", "Cost", "What each arm took.", el("div", {class: "grid three"},
    panel("Real steps", "Offline and online steps in the real world", (a) => (a.offline_steps || 0) + a.real_steps, short),
    panel("Tokens", "Computed or sampled in training", (a) => a.tokens, short),
    panel("Time", "Wall time", (a) => a.seconds, duration)), timeTable());
}

const isGuard = (name) => /skipped|backoff|stopped|refused|unparsable|non_?finite|alarm|contradict|invalid|kl_|entropy|clipped|infrastructure|informative|dropped/.test(name);

function metricCards(names) {
  return el("div", {class: "grid small"}, names.map((name) => {
    const curves = data.metrics.filter((s) => s.name === name).map((s) => ({label: s.phase, points: s.points, colour: phaseColour(s.phase)}));
    const last = curves.map((c) => c.points.length ? c.points[c.points.length - 1][1] : null);
    const share = isShare(name);
    return el("div", {class: "card"}, el("h3", {}, words(name)),
      el("div", {style: {height: "8px"}}),
      lineChart(words(name), curves, {height: 130, compact: true, percent: isShare(name)}),
      el("ul", {class: "legend"}, curves.map((c, i) => el("li", {}, el("span", {class: "swatch", style: {borderColor: `var(${c.colour})`}}), `${words(c.label)} ${metricValue(name, last[i])}`))));
  }));
}

function guards() {
  const names = [...new Set(data.metrics.map((s) => s.name))];
  const guardNames = names.filter(isGuard);
  const rest = names.filter((name) => !isGuard(name) && !isSuccess(name) && !/^theory/.test(name));
  const alarms = data.alarms.length
    ? el("div", {class: "card"}, table([
        {head: "Metric", class: "name", cell: (a) => words(a.metric)},
        {head: "Phase", class: "", cell: (a) => a.phase},
        {head: "First at step", class: "n", cell: (a) => whole(a.step)},
        {head: "Steps", class: "n", cell: (a) => whole(a.num_steps)},
        {head: "What it means", class: "note", cell: (a) => a.text}], data.alarms))
    : el("div", {class: "card"}, badge("✓ nothing found", "good"), el("p", {class: "sub", style: {margin: "8px 0 0"}}, "No metric left its healthy range."));
  const more = rest.length ? el("details", {class: "card", ontoggle: drawCharts}, el("summary", {}, `All other metrics (${rest.length})`), el("div", {style: {marginTop: "12px"}}, metricCards(rest))) : null;
  return section("guards", "Guards", "What usually goes wrong first: updates skipped, replies refused, entropy and divergence.",
    names.length ? alarms : null, guardNames.length ? metricCards(guardNames) : null, more,
    !names.length ? empty("No metrics, so nothing to watch.") : null);
}

function settings() {
  const pairs = [];
  const walk = (value, path) => {
    if (value && typeof value === "object") for (const [key, inner] of Object.entries(value)) walk(inner, path ? path + "." + key : key);
    else pairs.push([path, value]);
  };
  if (data.run) walk(data.run, "");
  return section("settings", "Settings", "",
    el("div", {class: "card"}, el("h3", {}, "Run"), pairs.length
      ? el("dl", {class: "pairs", style: {marginTop: "8px"}}, pairs.map(([key, value]) => [el("dt", {}, words(key)), el("dd", {}, String(value))]))
      : empty("run.json is not there.")),
    el("div", {class: "card"}, data.config
      ? el("details", {}, el("summary", {}, "config.toml"), el("pre", {}, data.config))
      : empty("config.toml is not there.")));
}
