// Times in the zone that was chosen; relative ones tick, and every one has the whole instant on hover.
import { choice } from "./settings.js";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY = 86_400_000;
const two = (number) => String(number).padStart(2, "0");

// The parts of an instant in a zone, read as if it were UTC.
function parts(instant, zone = choice("zone")) {
  return zone === "UTC" ? instant : new Date(instant - instant.getTimezoneOffset() * 60_000);
}

const FORMS = {
  second: (at) => `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`,
  minute: (at) => `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`,
  day: (at) => `${two(at.getUTCDate())} ${MONTHS[at.getUTCMonth()]}`,
  clock(at, now) {
    const day = `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`;
    if (at.toISOString().slice(0, 10) === now.toISOString().slice(0, 10)) return FORMS.second(at);
    return Math.abs(now - at) < 300 * DAY ? `${day} ${FORMS.minute(at)}` : `${day} ${at.getUTCFullYear()}`;
  },
};

export function written(instant, form = "clock") {
  return FORMS[form](parts(instant), parts(new Date()));
}

export function whole(instant) {
  const shown = (zone) => {
    const at = parts(instant, zone);
    return `${at.toISOString().slice(0, 10)} ${FORMS.second(at)}`;
  };
  return choice("zone") === "UTC" ? `${shown("UTC")} UTC` : `${shown("local")} local time, ${shown("UTC")} UTC`;
}

export function length(milliseconds) {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h ${two(Math.floor((seconds % 3600) / 60))}m`;
  return `${Math.floor(seconds / 86_400)}d ${Math.floor((seconds % 86_400) / 3600)}h`;
}

function relative(instant) {
  const left = instant - Date.now();
  if (Math.abs(left) < 1000) return "now";
  return left > 0 ? `in ${length(left)}` : `${length(left)} ago`;
}

function put(element, text, title) {
  if (element.textContent !== text) element.textContent = text;
  if (title && element.getAttribute("title") !== title) element.setAttribute("title", title);
}

function show(within) {
  for (const element of within.querySelectorAll("time[datetime], [data-time]")) {
    const instant = new Date(element.getAttribute("datetime") ?? element.dataset.time);
    if (Number.isNaN(instant.getTime())) continue;
    if (element.dataset.relative === "ahead") put(element, instant > Date.now() ? relative(instant) : "now", whole(instant));
    else if ("relative" in element.dataset) put(element, relative(instant), whole(instant));
    else put(element, written(instant, element.dataset.form), element.localName === "time" ? whole(instant) : "");
  }
}

const all = document.body;
show(all);
// Before anything is painted: what the server sends is written in UTC.
new MutationObserver(() => show(all)).observe(all, { childList: true, characterData: true, subtree: true });
setInterval(() => !document.hidden && show(all), 1000);
document.addEventListener("windlass:chosen", () => show(all));
