// Banners that a person has closed, each by its cause: until that is over, or for a day. Kept in this browser.
import { read, write } from "./settings.js";

const DAY = 86_400_000;
const NAME = "closed";

function closed() {
  try {
    const kept = Object.entries(JSON.parse(read(NAME) ?? "{}"));
    return new Map(kept.filter(([, at]) => Date.now() - at < DAY));
  } catch {
    return new Map(); // what is no list of causes closes none
  }
}

const keep = (causes) => write(NAME, JSON.stringify(Object.fromEntries(causes)));

// Before it is seen: a part of a page as the server sends it, or the page itself.
export function hideClosed(root) {
  const line = root.querySelector("#closed-causes");
  if (!line) return;
  const banners = [...root.querySelectorAll("[data-cause]")];
  const causes = closed();
  for (const cause of [...causes.keys()]) if (!banners.some((banner) => banner.dataset.cause === cause)) causes.delete(cause);
  if (causes.size !== closed().size) keep(causes);
  for (const banner of banners) {
    banner.hidden = causes.has(banner.dataset.cause);
    banner.querySelector("[data-close-cause]").hidden = false;
  }
  line.hidden = !causes.size;
  line.querySelector("[data-number]").textContent = `${causes.size} problem${causes.size === 1 ? "" : "s"}`;
}

document.addEventListener("click", (event) => {
  const banner = event.target.closest("[data-close-cause]")?.closest("[data-cause]");
  const isOpened = event.target.closest("[data-open-causes]");
  if (!banner && !isOpened) return;
  keep(banner ? closed().set(banner.dataset.cause, Date.now()) : new Map());
  hideClosed(document);
  document.querySelector(banner ? "[data-open-causes]" : "[data-cause]:not([hidden]) a")?.focus();
  document.getElementById("spoken").textContent = banner ? "Closed" : "Shown";
});

hideClosed(document);
