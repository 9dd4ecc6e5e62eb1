// What a person has chosen, kept in this browser only: theme, density, time zone, keys, refresh, range, closed banners. No secrets.

const PREFIX = "windlass-";

export const CHOICES = {
  theme: ["system", "light", "dark"],
  density: ["comfortable", "compact"],
  zone: ["local", "UTC"],
  keys: ["on", "off"],
  refresh: ["live", "every 5 s", "every 30 s", "paused"],
};

export function read(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null; // a browser that keeps nothing shows the defaults
  }
}

export function write(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // the choice lasts until the next page
  }
  chosen[name] = value;
  document.dispatchEvent(new CustomEvent("windlass:chosen", { detail: { name, value } }));
}

const chosen = {};

export function choice(name) {
  const value = chosen[name] ?? read(name);
  return CHOICES[name].includes(value) ? value : CHOICES[name][0];
}

export function next(name) {
  const values = CHOICES[name];
  write(name, values[(values.indexOf(choice(name)) + 1) % values.length]);
}
