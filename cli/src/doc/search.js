// The search: names first, those that begin with what is typed before those that contain it; then the texts of the types.
const field = document.getElementById("search");
const found = document.getElementById("found");
let chosen = 0;

function rank(entry, words) {
  const name = entry[0].toLowerCase();
  const last = name.slice(name.lastIndexOf(".") + 1);
  const text = entry[3].toLowerCase();
  let sum = name.length / 1000;
  for (const word of words) {
    if (name === word || last === word) sum += 0;
    else if (last.startsWith(word) || name.startsWith(word)) sum += 1;
    else if (name.includes(word)) sum += 2;
    else if (text.includes(word)) sum += 4;
    else return Infinity;
  }
  return sum;
}

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter((word) => word);
  found.textContent = "";
  found.hidden = words.length === 0;
  if (found.hidden) return;
  const best = entries.map((entry) => [rank(entry, words), entry]).filter((pair) => pair[0] < Infinity);
  best.sort((a, b) => a[0] - b[0]);
  chosen = 0;
  for (const [, [name, kind, address, text]] of best.slice(0, 50)) {
    const link = document.createElement("a");
    link.href = address;
    link.append(name);
    const more = document.createElement("small");
    more.textContent = kind === "val" ? text : kind + "  " + text;
    link.append(more);
    found.append(link);
  }
  if (best.length === 0) found.textContent = "nothing has this name or type";
  mark();
}

function mark() {
  [...found.children].forEach((link, i) => link.classList.toggle("chosen", i === chosen));
}

field.addEventListener("input", search);
field.addEventListener("keydown", (event) => {
  const last = found.children.length - 1;
  if (event.key === "ArrowDown") chosen = Math.min(chosen + 1, last);
  else if (event.key === "ArrowUp") chosen = Math.max(chosen - 1, 0);
  else if (event.key === "Enter" && found.children[chosen]) location.href = found.children[chosen].href;
  else if (event.key === "Escape") { field.value = ""; search(); }
  else return;
  event.preventDefault();
  mark();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus(); }
});
