// Puts the page together.
document.getElementById("facts").append(...facts());
const content = document.getElementById("content");
const nav = document.getElementById("nav");
content.append(...[tiles(), ...notices()].filter(Boolean));
const sections = [comparison(), learning(), fidelity(), theory(), cost(), guards(), taskTree(), episodes(), settings()].filter(Boolean);
for (const {id, title, node} of sections) {
  content.append(node);
  nav.append(el("a", {href: "#" + id}, title));
}
drawCharts();
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawCharts);
if (location.hash.startsWith("#episode=")) document.getElementById("episodes").scrollIntoView();

// The section being read is marked in the bar.
const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) nav.querySelector(`a[href="#${entry.target.id}"]`).classList.toggle("here", entry.isIntersecting);
}, {rootMargin: "-30% 0px -65% 0px"});
for (const {node} of sections) observer.observe(node);
