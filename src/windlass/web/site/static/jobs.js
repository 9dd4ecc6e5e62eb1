// How many jobs are chosen, and all of a page at once. Without it, boxes and buttons do the same.

const chosen = new Set();
const boxes = () => [...document.querySelectorAll('#main tbody input[name="job"]:not(:disabled)')];

function showChosen() {
  const count = document.getElementById("selected-count");
  for (const box of boxes()) box.checked = chosen.has(box.value);
  const here = boxes().filter((box) => box.checked).length;
  const text = `${here} selected`;
  if (count && count.textContent !== text) count.textContent = text;
  const page = document.getElementById("select-page");
  if (page) {
    page.hidden = false;
    page.checked = here > 0 && here === boxes().length;
  }
}

function choose(box, isChosen) {
  if (isChosen) chosen.add(box.value);
  else chosen.delete(box.value);
}

document.addEventListener("change", (event) => {
  if (event.target.id === "select-page") for (const box of boxes()) choose(box, event.target.checked);
  else if (event.target.name === "job") choose(event.target, event.target.checked);
  else return;
  showChosen();
});

// A page that is brought up to date is drawn anew: what was chosen stays chosen.
for (const box of boxes()) choose(box, box.checked);
showChosen();
const main = document.getElementById("main");
if (main) new MutationObserver(showChosen).observe(main, { childList: true, subtree: true, characterData: true });
