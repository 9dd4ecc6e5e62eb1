// The values of a chart under the pointer; a stretch that is marked by dragging becomes the range of the page.
import { written } from "./times.js";

let tip = null;

function close() {
  tip?.remove();
  tip = null;
  for (const line of document.querySelectorAll(".chart .pointer")) line.remove();
}

function text(parent, tag, content) {
  const element = document.createElement(tag);
  element.textContent = content;
  parent.append(element);
}

function show(box, x) {
  const chart = box.querySelector(".chart");
  const { times, series } = JSON.parse(box.dataset.series);
  const frame = chart.getBoundingClientRect();
  const share = shareAt(chart, x);
  const index = Math.round(share * (times.length - 1));
  const place = `${(index / Math.max(times.length - 1, 1)) * 100}%`;
  close();
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  for (const [name, value] of Object.entries({ class: "pointer", x1: place, x2: place, y1: 16, y2: 156 })) line.setAttribute(name, value);
  chart.append(line);
  tip = document.createElement("div");
  tip.className = "chart-tip";
  tip.setAttribute("aria-hidden", "true");
  text(tip, "span", written(new Date(times[index]), "clock"));
  for (const { name, values } of series) {
    tip.append(" ");
    text(tip, "span", `${name} `);
    text(tip, "b", values[index]);
  }
  box.append(tip);
  const left = Math.min(Math.max((index / Math.max(times.length - 1, 1)) * frame.width - tip.offsetWidth / 2, 0), frame.width - tip.offsetWidth);
  tip.style.left = `${left}px`; // set by script, which the content policy allows
}

const LEAST = 6; // pixels: less is a click
const MINUTE = 60_000;
let drag = null; // where it began

// What is marked, in shares of the width; a page that is brought up to date meanwhile may have lost the mark.
function mark(chart, from, to) {
  let area = chart.querySelector(".zoom");
  if (!area) {
    area = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ class: "zoom", y: 4, height: 152 })) area.setAttribute(name, value);
    chart.append(area);
  }
  area.setAttribute("x", `${Math.min(from, to) * 100}%`);
  area.setAttribute("width", `${Math.abs(to - from) * 100}%`);
}

function shareAt(chart, x) {
  const frame = chart.getBoundingClientRect();
  return Math.min(Math.max((x - frame.left) / frame.width, 0), 1);
}

const minute = (instant) => `${new Date(instant).toISOString().slice(0, 16)}Z`;

function zoom({ times }, from, to) {
  const [first, last] = [times[0], times.at(-1)];
  const at = (share) => first + share * (last - first);
  const since = Math.floor(at(Math.min(from, to)) / MINUTE) * MINUTE;
  const until = Math.max(Math.ceil(at(Math.max(from, to)) / MINUTE) * MINUTE, since + 2 * MINUTE);
  location.assign(`?range=${minute(since)}..${minute(until)}`);
}

function endDrag() {
  for (const area of document.querySelectorAll(".chart .zoom")) area.remove();
  drag = null;
}

document.addEventListener("pointerdown", (event) => {
  const box = event.target.closest?.(".chart-box[data-series]");
  // A finger scrolls the page.
  if (!box || event.button !== 0 || event.pointerType === "touch") return;
  drag = { id: box.querySelector(".chart").getAttribute("aria-label").split(":")[0], x: event.clientX };
  event.preventDefault();
});

document.addEventListener("pointermove", (event) => {
  const box = event.target.closest?.(".chart-box[data-series]");
  if (box) show(box, event.clientX);
  else if (tip) close();
  if (drag) {
    const chart = document.querySelector(`.chart[aria-label^="${drag.id}:"]`);
    if (chart) mark(chart, shareAt(chart, drag.x), shareAt(chart, event.clientX));
  }
});

document.addEventListener("pointerup", (event) => {
  if (!drag) return;
  const { id, x } = drag;
  endDrag();
  const chart = document.querySelector(`.chart[aria-label^="${id}:"]`);
  if (chart && Math.abs(event.clientX - x) >= LEAST) zoom(JSON.parse(chart.parentElement.dataset.series), shareAt(chart, x), shareAt(chart, event.clientX));
});

document.addEventListener("keydown", (event) => event.key === "Escape" && endDrag());
