// Building blocks: elements, numbers, names. Texts become text nodes, never markup.
const data = JSON.parse(document.getElementById("run-data").textContent);

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "class") node.className = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "style") Object.assign(node.style, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(3)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

const isNumber = (x) => typeof x === "number" && Number.isFinite(x);
const percent = (x, digits = 1) => (isNumber(x) ? (100 * x).toFixed(digits) + "%" : "–");
const points = (x) => (isNumber(x) ? (x > 0 ? "+" : x < 0 ? "−" : "") + Math.abs(100 * x).toFixed(1) : "–");
const whole = (x) => (isNumber(x) ? x.toLocaleString("en-US") : "–");
const plural = (n, one, many) => whole(n) + " " + (n === 1 ? one : many || one + "s");

function short(x) {
  if (!isNumber(x)) return "–";
  const size = Math.abs(x);
  for (const [unit, letter] of [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= unit) return (x / unit).toFixed(size >= 100 * unit ? 0 : 1).replace(/\.0$/, "") + letter;
  }
  if (size === 0 || Number.isInteger(x)) return String(x);
  if (size >= 0.001) return String(Number(x.toPrecision(3)));
  return x.toExponential(1);
}

function duration(seconds) {
  if (!isNumber(seconds)) return "–";
  if (seconds < 1) return Math.round(1000 * seconds) + " ms";
  if (seconds < 100) return Number(seconds.toPrecision(2)) + " s";
  const minutes = seconds / 60;
  if (minutes < 100) return Number(minutes.toPrecision(minutes < 10 ? 2 : 3)) + " min";
  return Number((minutes / 60).toPrecision(3)) + " h";
}

// "rollout/success_share" -> "rollout success share"
const words = (name) => String(name).replace(/[_/]+/g, " ").trim();
const isShare = (name) => /(_share|_accuracy|_rate|success|accuracy)$/.test(name);
const metricValue = (name, x) => (isShare(name) ? percent(x) : short(x));

const badge = (text, kind) => el("span", {class: "badge " + (kind || "")}, text);
const outcomeKind = {success: "good", failure: "bad", infrastructure_error: "bad", truncated: "warn"};
const empty = (text) => el("p", {class: "empty"}, text);
const notice = (kind, title, items) =>
  el("div", {class: "notice " + kind}, el("strong", {}, title), el("ul", {}, items.map((item) => el("li", {}, item))));

// A value on a scale from 0 to 1 with its interval.
function intervalBar(share, colour) {
  const at = (x) => Math.min(100, Math.max(0, 100 * x)) + "%";
  return el("div", {class: "span", role: "img", "aria-label": `${percent(share.value)}, interval ${percent(share.ci_low)} to ${percent(share.ci_high)}`},
    el("i", {style: {left: at(share.ci_low), width: at(share.ci_high - share.ci_low), background: colour}}),
    el("b", {style: {left: at(share.value), background: colour}}));
}

// columns: [{head, cell(row), class}]. On narrow screens each row becomes a block.
function table(columns, rows, rowClass) {
  return el("div", {class: "scroll"}, el("table", {class: "stack"},
    el("thead", {}, el("tr", {}, columns.map((c) => el("th", {class: c.class, scope: "col"}, c.head)))),
    el("tbody", {}, rows.map((row) => el("tr", {class: rowClass ? rowClass(row) : ""},
      columns.map((c) => el("td", {class: c.class, "data-head": c.class === "name" || c.class === "note" ? null : c.head}, c.cell(row))))))));
}
