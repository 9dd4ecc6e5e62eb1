// Keys, for those who use no mouse; they can be switched off. Ignored while typing and with modifiers.
import { choice, next } from "./settings.js";
import { openCommands } from "./command.js";

const base = document.body.dataset.base.replace(/\/$/, "");
const PLACES = { o: "/", j: "/jobs", f: "/failures", q: "/queues", w: "/workers", s: "/schedules" };
let isGoing = false;

function moveCursor(step) {
  const rows = [...document.querySelectorAll("#main tbody tr:not(.note):not(.open)")];
  if (!rows.length) return;
  const at = rows.findIndex((row) => row.classList.contains("cursor"));
  rows[at]?.classList.remove("cursor");
  const row = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
  row.classList.add("cursor");
  row.scrollIntoView({ block: "nearest" });
}

const cursor = () => document.querySelector("tr.cursor");
// What is chosen comes first, then the row, then the page.
function button(key, action) {
  const isChosen = document.querySelector("#main .all-chosen, #main tbody .check:checked");
  const place = (isChosen && document.getElementById("bulk")) ?? cursor() ?? document.querySelector("#main .head-end");
  const found = place?.querySelector(`[data-key="${key}"]`);
  if (found?.closest("details")) found.closest("details").open = true;
  return found ?? (cursor() ?? document.getElementById("main")).querySelector(`form[action$="${action}"] button`);
}

const ACTIONS = {
  "/": () => document.getElementById("search")?.focus(),
  j: () => moveCursor(1),
  k: () => moveCursor(-1),
  x: () => cursor()?.querySelector("input[type=checkbox]")?.click(),
  Enter: () => cursor()?.querySelector("a")?.click(),
  r: () => button("r", "/retry")?.click(),
  c: () => button("c", "/cancel")?.focus(), // a job that was cancelled by a slip of the finger cannot be had back
  ".": () => {
    const menu = (cursor() ?? document.getElementById("main")).querySelector("details.menu > summary");
    menu?.click();
    menu?.focus();
  },
  u: () => document.getElementById("undo")?.click(),
  t: () => next("theme"),
  "?": () => document.getElementById("keys")?.showModal(),
};

function closeMenus() {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
}

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "k") {
    event.preventDefault();
    openCommands();
    return;
  }
  const typing = event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
  if (event.key === "Escape") {
    typing?.blur();
    closeMenus();
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (choice("keys") === "off") return;
  if (isGoing) {
    isGoing = false;
    if (event.key in PLACES) location.assign(base + PLACES[event.key]);
    return;
  }
  if (event.key === "g") {
    isGoing = true;
    setTimeout(() => (isGoing = false), 1500);
    return;
  }
  // Enter on a link or a button is theirs.
  if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
  const action = ACTIONS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

document.getElementById("open-keys")?.addEventListener("click", () => document.getElementById("keys").showModal());
