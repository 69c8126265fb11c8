// The section of generated tasks: a tree from each varied task to its variations, and what became of them.
const kMostTasksOpen = 24;  // of a phase; a longer tree comes folded
function taskTree() {
  const tasks = data.tasks;
  const id = "tasks", title = "Generated tasks";
  if (!tasks.length) return null;
  const variations = tasks.filter((task) => task.parent);
  const audited = variations.filter((task) => task.solvable !== null);
  const solvable = audited.filter((task) => task.solvable);
  const remark = `${plural(variations.length, "variation")}, each under the task it varies. ` +
    (audited.length ? `The world's engine can solve ${whole(solvable.length)} of the ${whole(audited.length)} it was asked about.` : "No engine was there to tell whether they can be solved.");
  const shown = (task) => el("span", {}, task.instruction, " ",
    task.parent && badge(task.groups ? `${percent(task.success, 0)} expected, value ${short(task.value)}, ${plural(task.groups, "group")}` : "not played", ""),
    task.solvable === false && badge("can't be done: " + task.remark, "bad"), task.solvable && badge("can be done", "good"));
  const phases = [...new Set(tasks.map((task) => task.phase))];
  const tree = (phase) => {
    const own = tasks.filter((task) => task.phase === phase);
    const ids = new Set(own.map((task) => task.id));
    const below = new Map();
    for (const task of own) if (task.parent) below.set(task.parent, [...(below.get(task.parent) || []), task]);
    const drawn = new Set();  // a damaged file may go in circles
    const branch = (task) => {
      if (drawn.has(task.id)) return null;
      drawn.add(task.id);
      const children = (below.get(task.id) || []).map(branch).filter(Boolean);
      return el("li", {}, children.length ? el("details", {open: own.length <= kMostTasksOpen}, el("summary", {}, shown(task), ` (${whole(children.length)})`), el("ul", {}, children)) : shown(task));
    };
    return el("div", {class: "card"}, el("h3", {}, phase), el("ul", {class: "tree"}, own.filter((task) => !task.parent || !ids.has(task.parent)).map(branch).filter(Boolean)));
  };
  return section(id, title, remark, phases.map(tree));
}
