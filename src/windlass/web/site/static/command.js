// The command box: any page, queue, task or job by a few letters.

const box = document.getElementById("command");
const input = box?.querySelector("input");
const list = document.getElementById("command-list");
const WAIT = 120;
let timer = 0;
let asked = 0;

export function openCommands() {
  if (!box || box.open) return;
  input.value = "";
  box.showModal();
  ask();
}

async function ask() {
  const number = ++asked;
  const address = new URL(box.dataset.address, location.href);
  address.searchParams.set("text", input.value.trim().slice(0, 200));
  const answer = await fetch(address).catch(() => null);
  if (number !== asked) return; // a later one is under way
  const found = answer?.ok ? (await answer.json()).places : [];
  list.replaceChildren(...found.map(option));
  if (!found.length) list.append(option({ kind: "", name: answer?.ok ? "Nothing has this name" : "The server does not answer", path: "" }, 0));
  select(0);
}

function option(place, index) {
  const row = document.createElement("li");
  row.id = `command-${index}`;
  row.setAttribute("role", "option");
  row.dataset.path = place.path;
  const name = document.createElement("span");
  name.className = "truncate";
  name.textContent = place.name;
  const kind = document.createElement("span");
  kind.className = "faint kind";
  kind.textContent = place.kind;
  row.append(name, kind);
  return row;
}

const rows = () => [...list.children];
const selected = () => list.querySelector("[aria-selected=true]");

function select(index) {
  const all = rows();
  for (const row of all) row.setAttribute("aria-selected", "false");
  const row = all[(index + all.length) % all.length];
  row?.setAttribute("aria-selected", "true");
  row?.scrollIntoView({ block: "nearest" });
  if (row) input.setAttribute("aria-activedescendant", row.id);
}

function go(row) {
  if (row?.dataset.path) location.assign(row.dataset.path);
}

input?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(ask, WAIT);
});
input?.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    select(rows().indexOf(selected()) + step);
  } else if (event.key === "Enter") {
    event.preventDefault();
    go(selected());
  }
});
list?.addEventListener("click", (event) => go(event.target.closest("[role=option]")));
document.getElementById("open-command")?.addEventListener("click", openCommands);
