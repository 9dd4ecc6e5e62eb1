// How pages look: theme, density; the buttons that change what was chosen; the range of charts and the filters of lists.
import { CHOICES, choice, next, read, write } from "./settings.js";

const root = document.documentElement;
const WORDS = { system: "as the system" };

function show() {
  const theme = choice("theme");
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  root.dataset.density = choice("density");
  document.getElementById("theme")?.setAttribute("aria-label", `Theme: ${WORDS[theme] ?? theme}`);
  for (const button of document.querySelectorAll("[data-choice]")) {
    const value = choice(button.dataset.choice);
    button.querySelector("[data-value]").textContent = WORDS[value] ?? value;
  }
}

show();
document.addEventListener("windlass:chosen", show);
document.getElementById("theme")?.addEventListener("click", () => next("theme"));
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-choice]");
  if (button && button.dataset.choice in CHOICES) next(button.dataset.choice);
  const copy = event.target.closest("[data-copy], [data-copy-from]");
  if (copy) copyText(copy);
});

// What was done is told for some seconds, and for as long as somebody is at it.
const TOLD = 8000;
const toast = document.querySelector(".toasts");
if (toast) {
  toast.querySelector("[data-close]").addEventListener("click", () => toast.remove());
  const end = () => (toast.matches(":hover, :focus-within") ? setTimeout(end, TOLD) : toast.remove());
  setTimeout(end, TOLD);
}

// A link of the navigation leads to the page as it was left: with its filters and its range.
// What is typed as text, and values of arguments and metadata, are not: they may be personal, and this browser would keep them.
const KEPT = ["range", "state", "queue", "task", "tag", "reason", "running_for", "since", "by", "severity"];
const main = document.querySelector("nav.nav a[aria-current=page]");
if (main && main.pathname === location.pathname) {
  const kept = new URLSearchParams();
  // A stretch that was marked in a chart is left behind: it grows old.
  for (const [name, value] of new URLSearchParams(location.search)) if (KEPT.includes(name) && value && !value.includes("..")) kept.set(name, value);
  write(`at ${main.pathname}`, kept.toString());
}
for (const link of document.querySelectorAll("nav.nav a")) {
  const kept = read(`at ${link.pathname}`);
  if (kept && link !== main) link.search = kept;
}

// A value, or the lines of an element, folded ones too.
async function copyText(button) {
  const lines = () => [...document.querySelector(button.dataset.copyFrom).querySelectorAll(":scope > li:not(:has(details)), :scope > li > details > div")];
  const text = button.dataset.copy ?? lines().map((line) => [...line.childNodes].map((node) => node.textContent).join("\n    ")).join("\n");
  const isDone = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  document.getElementById("spoken").textContent = isDone ? "Copied" : "It could not be copied";
  button.classList.toggle("done", Boolean(isDone));
  setTimeout(() => button.classList.remove("done"), 1500);
}
