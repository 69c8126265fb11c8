// The episode browser: filter, search, and every step with what the model thought and retrieved.
const perPage = 40;
const browser = {filters: {arm: "", outcome: "", provenance: "", text: ""}, page: 0, chosen: null, found: data.episodes};

// All text of an episode in lower case, made when first searched.
const haystacks = new Map();
function haystack(episode) {
  if (!haystacks.has(episode)) {
    const texts = [episode.id, episode.task, episode.first, episode.policy];
    for (const step of episode.steps) texts.push(step.action, step.next, step.trace || "", step.thought || "");
    haystacks.set(episode, texts.join("\n").toLowerCase());
  }
  return haystacks.get(episode);
}

function search() {
  const {arm, outcome, provenance, text} = browser.filters;
  const pieces = text.toLowerCase().split(/\s+/).filter(Boolean);
  browser.found = data.episodes.filter((episode) =>
    (!arm || episode.arm === arm) && (!outcome || episode.outcome === outcome) && (!provenance || episode.provenance === provenance) &&
    pieces.every((piece) => haystack(episode).includes(piece)));
  browser.page = 0;
}

function traceView(trace) {
  const fields = trace.split(";").map((field) => field.trim()).filter(Boolean).map((field) => /^([a-z_]+): ?(.*)$/s.exec(field));
  if (!fields.length || fields.includes(null) || fields[0][1] !== "effect") return el("p", {class: "trace-text text"}, trace);
  const find = (key) => (fields.find((field) => field[1] === key) || [])[2];
  const want = find("want"), got = find("got");
  const kind = (key) => ((key === "want" || key === "got") && want !== undefined && got !== undefined ? (want === got ? "match" : "differ") : "");
  return el("ul", {class: "trace", "aria-label": "Reasoning trace"}, fields.map(([, key, value]) => el("li", {class: kind(key)}, el("b", {}, key), value)));
}

function demoView(id) {
  const demo = Object.hasOwn(data.demonstrations, id) ? data.demonstrations[id] : null;
  if (!demo) return el("div", {class: "demo"}, el("span", {class: "mono"}, id));
  return el("div", {class: "demo"},
    el("div", {class: "line"}, badge(demo.provenance, demo.provenance), el("span", {class: "mono"}, id), demo.episode && el("span", {class: "old"}, "from " + demo.episode)),
    el("div", {class: "text old"}, demo.observation), el("div", {class: "action"}, "> " + demo.action), el("div", {class: "text"}, demo.next));
}

function stepView(step, number, last) {
  const end = last && step.terminated ? (step.reward > 0 ? " end-success" : " end-failure") : "";
  const commands = (step.admissible || []).map((index) => data.actions[index]);
  return el("li", {class: "step" + end, "data-step": number},
    step.thought && el("p", {class: "thought text"}, step.thought),
    el("div", {class: "line"}, el("span", {class: "action"}, step.action),
      step.invalid && badge("not understood", "warn"), step.reward !== 0 && badge("reward " + short(step.reward), step.reward > 0 ? "good" : "bad"),
      step.terminated && badge("end"), step.truncated && badge("cut off", "warn"), isNumber(step.confidence) && badge("confidence " + percent(step.confidence, 0))),
    step.trace && traceView(step.trace),
    el("div", {class: "next text"}, step.next),
    step.demos && el("details", {}, el("summary", {}, plural(step.demos.length, "retrieved demonstration")), step.demos.map(demoView)),
    commands.length > 0 && el("details", {}, el("summary", {}, plural(commands.length + (step.admissible_more || 0), "possible action")),
      el("ul", {class: "commands"}, commands.map((command) => el("li", {class: command === step.action ? "taken" : ""}, command)),
        step.admissible_more && el("li", {}, `and ${whole(step.admissible_more)} more`))),
    step.info && el("details", {}, el("summary", {}, "remarks of the world"),
      el("dl", {class: "pairs"}, Object.entries(step.info).map(([key, value]) => [el("dt", {}, key), el("dd", {class: "text"}, value)]))));
}

function episodeView(episode) {
  return el("article", {class: "card episode", tabindex: -1},
    el("h3", {}, episode.task || "(no instruction)"),
    el("div", {class: "badges"}, badge(words(episode.outcome), outcomeKind[episode.outcome]), badge(episode.provenance, episode.provenance), badge("return " + short(episode.return)),
      badge(plural(episode.steps.length, "step")), badge(episode.arm), episode.split && badge(episode.split), episode.parent_task && badge("variation of " + episode.parent_task)),
    el("p", {class: "id mono"}, [episode.id, episode.policy && "policy " + episode.policy, episode.simulator && "dreamed by " + episode.simulator].filter(Boolean).join(" · ")),
    episode.first && el("div", {class: "start text"}, episode.first),
    episode.steps.length
      ? el("ol", {class: "steps"}, episode.steps.map((step, i) => stepView(step, i + 1, i + 1 === episode.steps.length)))
      : empty("This episode has no steps."));
}

function renderBrowser(scroll) {
  const {found, page} = browser;
  const shown = found.slice(page * perPage, (page + 1) * perPage);
  if (!found.includes(browser.chosen)) browser.chosen = shown[0] || null;
  const choose = (episode) => { browser.chosen = episode; history.replaceState(null, "", "#episode=" + encodeURIComponent(episode.id)); renderBrowser(true); };
  const turn = (by) => { browser.page += by; browser.chosen = null; renderBrowser(false); };
  browser.count.textContent = `${whole(found.length)} of ${plural(data.episodes.length, "episode")}` +
    (data.episodes.length < data.num_episodes ? ` (a selection of ${whole(data.num_episodes)} in the file)` : "");
  browser.list.replaceChildren(
    ...shown.map((episode) => el("button", {class: "item", type: "button", "aria-current": String(episode === browser.chosen), onclick: () => choose(episode)},
      el("span", {class: "what"}, el("span", {class: "dot " + episode.outcome}), episode.task || episode.id),
      el("span", {class: "who"}, el("span", {}, words(episode.outcome)), el("span", {}, episode.provenance), el("span", {}, episode.arm), el("span", {}, plural(episode.steps.length, "step"))))),
    ...(found.length > perPage ? [el("div", {class: "pager"},
      el("button", {type: "button", disabled: page === 0, onclick: () => turn(-1)}, "Earlier"),
      `${page * perPage + 1}–${page * perPage + shown.length}`,
      el("button", {type: "button", disabled: (page + 1) * perPage >= found.length, onclick: () => turn(1)}, "Later"))] : []));
  if (!found.length) browser.list.append(empty("No episode fits. Loosen the filters."));
  browser.detail.replaceChildren(...(browser.chosen ? [episodeView(browser.chosen)] : []));
  if (scroll && window.matchMedia("(max-width: 900px)").matches) browser.detail.scrollIntoView({block: "start"});
}

function episodes() {
  if (!data.episodes.length) return section("episodes", "Episodes", "", empty("episodes.jsonl holds no episode that can be shown."));
  const options = (key) => [...new Set(data.episodes.map((episode) => episode[key]))].sort();
  const select = (label, key) => el("label", {}, label,
    el("select", {onchange: (event) => { browser.filters[key] = event.target.value; search(); renderBrowser(false); }},
      el("option", {value: ""}, "all"), options(key).map((value) => el("option", {value}, words(value)))));
  browser.count = el("p", {"aria-live": "polite"});
  browser.list = el("div", {class: "card list"});
  browser.detail = el("div", {});
  const linked = decodeURIComponent((/^#episode=(.*)$/.exec(location.hash) || [])[1] || "");
  browser.chosen = data.episodes.find((episode) => episode.id === linked) || null;
  if (browser.chosen) browser.page = Math.floor(data.episodes.indexOf(browser.chosen) / perPage);
  const made = section("episodes", "Episodes", "",
    el("div", {class: "filters"}, select("Arm", "arm"), select("Outcome", "outcome"), select("Provenance", "provenance"),
      el("label", {class: "wide"}, "Search in all texts",
        el("input", {type: "search", placeholder: "mug, open fridge, effect: new …", oninput: (event) => { browser.filters.text = event.target.value; search(); renderBrowser(false); }}))),
    el("div", {class: "browser"}, browser.list, browser.detail));
  made.node.querySelector(".head").append(browser.count);
  renderBrowser(false);
  return made;
}
