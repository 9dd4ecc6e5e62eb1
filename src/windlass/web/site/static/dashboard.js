// What a page does beyond links and forms: its theme, its keys, its live sign. All of it can be missing.

const root = document.documentElement;
const base = document.body.dataset.base.replace(/\/$/, "");

// Theme: as the system, light, dark; kept in this browser.
const THEMES = { system: "as the system", light: "light", dark: "dark" };
const themeButton = document.getElementById("theme");

function showTheme(theme) {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  themeButton?.setAttribute("aria-label", `Theme: ${THEMES[theme]}`);
}

function storedTheme() {
  try {
    const theme = localStorage.getItem("windlass-theme");
    return theme in THEMES ? theme : "system";
  } catch {
    return "system";
  }
}

function nextTheme() {
  const names = Object.keys(THEMES);
  const theme = names[(names.indexOf(storedTheme()) + 1) % names.length];
  try {
    localStorage.setItem("windlass-theme", theme);
  } catch {
    // a browser that keeps nothing shows the theme until the next page
  }
  showTheme(theme);
}

showTheme(storedTheme());
themeButton?.addEventListener("click", nextTheme);

// Whether the page is up to date.
const sign = document.getElementById("live-sign");
const away = document.getElementById("away");

function showLive(isLive, text) {
  if (!sign) return;
  sign.dataset.live = isLive ? "on" : "off";
  if (sign.textContent !== text) sign.textContent = text;
}

document.addEventListener("htmx:sse:after:connection", () => showLive(true, "live"));
document.addEventListener("htmx:sse:after:message", () => showLive(true, "live"));
document.addEventListener("htmx:sse:error", () => showLive(false, "not live"));
document.addEventListener("htmx:sse:close", () => showLive(false, "not live"));
document.addEventListener("away", (event) => {
  showLive(false, "store away");
  const box = document.createElement("section");
  box.className = "health is-failed";
  box.setAttribute("role", "status");
  const text = document.createElement("p");
  text.className = "health-text";
  text.textContent = `The figures below are the last that were known: ${event.detail.data}`;
  box.append(text);
  away.replaceChildren(box);
});

// Copy buttons.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) navigator.clipboard?.writeText(button.dataset.copy);
});

// Keys: "/" searches, "g" and a letter goes to a page, "j" and "k" move through rows, Enter opens one, "t" changes the theme.
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

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
  if (isTyping && event.key === "Escape") event.target.blur();
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isGoing) {
    isGoing = false;
    if (event.key in PLACES) location.assign(base + PLACES[event.key]);
    return;
  }
  switch (event.key) {
    case "/":
      event.preventDefault();
      document.getElementById("search")?.focus();
      break;
    case "g":
      isGoing = true;
      setTimeout(() => (isGoing = false), 1500);
      break;
    case "j":
      moveCursor(1);
      break;
    case "k":
      moveCursor(-1);
      break;
    case "Enter":
      document.querySelector("tr.cursor a")?.click();
      break;
    case "t":
      nextTheme();
      break;
  }
});
