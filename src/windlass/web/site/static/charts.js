// The values of a chart under the pointer.
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
  const share = Math.min(Math.max((x - frame.left) / frame.width, 0), 1);
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

document.addEventListener("pointermove", (event) => {
  const box = event.target.closest?.(".chart-box[data-series]");
  if (box) show(box, event.clientX);
  else if (tip) close();
});
