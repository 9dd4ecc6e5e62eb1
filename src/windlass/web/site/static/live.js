// Brings an open page up to date: by its event stream, and by asking every five seconds where that fails three times or
// where somebody has chosen so.
// A page that is hidden asks for nothing. When the store or the server is away, what is shown stays, with its age.
import { hideClosed } from "./banners.js";
import { choice } from "./settings.js";
import { length, written } from "./times.js";

const POLL = 5000;
const CHOSEN = { "every 5 s": 5000, "every 30 s": 30_000 };
const FAILURES = 3;
const SLOWEST = 30_000;

const live = document.getElementById("live");
const sign = document.getElementById("live-sign");
const away = document.getElementById("away");
const address = live?.dataset.stream;

let source = null;
let failures = 0;
let retry = 0;
let poll = 0;
let knownAt = Date.now();
let reason = "";

function say(state, text) {
  if (!sign) return;
  sign.dataset.live = state;
  if (sign.textContent !== text) sign.textContent = text;
}

function told() {
  if (source?.readyState === EventSource.OPEN) say("on", "live");
  else say("polling", choice("refresh") in CHOSEN ? choice("refresh") : "every 5 s");
}

function fresh(html) {
  knownAt = Date.now();
  reason = "";
  delete live.dataset.stale;
  away.replaceChildren();
  if (html !== null) Promise.resolve(htmx.swap({ sourceElement: live, target: live, text: steady(html), swap: "innerMorph" })).then(showSigns);
  told();
}

// Rows stay where they are while a page is open, whatever they are sorted by; those that are new come last.
function steady(html) {
  const found = document.createElement("template");
  found.innerHTML = html;
  hideClosed(found.content);
  for (const list of found.content.querySelectorAll("[data-steady]")) {
    const places = new Map([...(document.getElementById(list.id)?.children ?? [])].map((row, index) => [row.dataset.row, index]));
    const place = (row) => places.get(row.dataset.row) ?? places.size;
    list.append(...[...list.children].sort((one, other) => place(one) - place(other)));
  }
  return found.innerHTML;
}

// The figures beside the links of the frame, which is not part of what is swapped.
function showSigns() {
  const signs = document.getElementById("signs")?.dataset ?? {};
  for (const sign of document.querySelectorAll("[data-sign]")) {
    const count = signs[sign.dataset.sign.slice(1)] ?? "0";
    if (sign.textContent !== count) sign.textContent = count;
    sign.hidden = count === "0";
  }
}

function stale(text) {
  if (!reason && source?.readyState === EventSource.OPEN) knownAt = Date.now();
  reason = text;
  live.dataset.stale = "";
  showAge();
}

function showAge() {
  if (!reason) return;
  say("off", "not live");
  const text = `${reason}. What is shown is from ${written(new Date(knownAt), "second")}, ${length(Date.now() - knownAt)} ago; this page comes back by itself.`;
  let box = away.querySelector("p");
  if (!box) {
    const banner = document.createElement("section");
    banner.className = "health is-failed";
    box = document.createElement("p");
    box.className = "health-text";
    banner.append(box);
    away.replaceChildren(banner);
    document.getElementById("spoken").textContent = reason;
  }
  if (box.textContent !== text) box.textContent = text;
}

// As was chosen: by the stream, by asking now and then, or not at all.
function begin() {
  end();
  failures = 0;
  if (document.hidden) return;
  const refresh = choice("refresh");
  if (refresh === "live") connect();
  else if (refresh in CHOSEN) {
    poll = setInterval(ask, CHOSEN[refresh]);
    told();
  } else say("paused", "paused");
}

function end() {
  clearTimeout(retry);
  clearInterval(poll);
  poll = 0;
  source?.close();
  source = null;
}

function connect() {
  clearTimeout(retry);
  source?.close();
  if (document.hidden) return;
  source = new EventSource(address);
  source.addEventListener("open", () => {
    failures = 0;
    clearInterval(poll);
    poll = 0;
    if (!reason) told();
  });
  source.addEventListener("message", (event) => fresh(event.data));
  source.addEventListener("away", (event) => stale(`The store is away: ${event.data}`));
  source.addEventListener("error", failed);
}

function failed() {
  source?.close();
  failures += 1;
  if (failures < FAILURES) say("off", "not live");
  else if (!poll) {
    say("polling", "every 5 s");
    poll = setInterval(ask, POLL);
    ask();
  }
  retry = setTimeout(connect, Math.min(500 * 2 ** failures, SLOWEST));
}

// The whole page, of which only the part that lives is taken.
async function ask() {
  if (document.hidden) return;
  try {
    const answer = await fetch(live.dataset.page, { headers: { Accept: "text/html" }, redirect: "manual" });
    if (answer.type === "opaqueredirect") return stale("The session is over: log in again");
    const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
    if (answer.ok && found) fresh(found.innerHTML);
    else stale(answer.status === 503 ? "The store is away" : `The server answers ${answer.status}`);
  } catch {
    stale("The server does not answer");
  }
}

// A page that could not be shown because the store was away is opened again when it is back.
async function comeBack() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
  if (answer?.ok) location.reload();
}

if (address) {
  begin();
  setInterval(showAge, 1000);
  document.addEventListener("visibilitychange", () => {
    begin();
    if (poll) ask();
  });
  document.addEventListener("windlass:chosen", (event) => {
    if (event.detail.name !== "refresh") return;
    begin();
    if (poll) ask();
  });
  addEventListener("pagehide", () => source?.close());
} else if (document.body.dataset.status === "503") {
  setInterval(() => !document.hidden && comeBack(), POLL);
}
