// Which part is open, the keys, and the theme.

const PARTS = ["overview", "items", "item", "changes"];
const TITLE = document.title;

function open() {
  const address = location.hash.slice(1);
  const [name, query = ""] = address.startsWith("item=")
    ? ["item", address.slice(5)]
    : address.split("?");
  if (name === "main") return;
  const item = name === "item" ? KEYS_IN_LINKS.get(decoded(query)) : undefined;
  const part = name === "item" && !item ? "items" : PARTS.includes(name) ? name : "overview";
  for (const each of PARTS) byId(`part-${each}`).hidden = each !== part;
  document.body.dataset.part = part;
  for (const link of document.querySelectorAll("[data-part]")) {
    if (link === document.body) continue;
    const here = link.dataset.part === part || (part === "item" && link.dataset.part === "items");
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (part === "item") {
    showItem(item);
    return;
  }
  document.title = TITLE;
  if (part === "items") {
    readFilters(name === "item" ? "" : query);
    showList();
    if (name === "item")
      byId("count").append(" · ", make("b", {}, "the item of this link is not in this run"));
  }
  if (part === "changes") showChanges(...readPair(query));
  if (started) focusPart(part);
}

/** Back in the list the item that was open has the focus; elsewhere the heading. */
function focusPart(part) {
  const link =
    part === "items" && current
      ? document.querySelector(`[data-item="${current.number}"] a`)
      : null;
  const target = link ?? byId(`${part}-title`);
  target.focus({ preventScroll: !link });
  if (link) link.scrollIntoView({ block: "center" });
  else window.scrollTo(0, 0);
  current = null;
}

const KEYS_IN_LINKS = new Map([...KEYS].map(([key, item]) => [plain(key), item]));

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function move(step) {
  if (document.body.dataset.part === "item") {
    const links = document.querySelectorAll(".crumbs .step");
    const link = links[step < 0 ? 0 : 1];
    if (link?.getAttribute("href")) location.hash = link.getAttribute("href");
    return;
  }
  const links = [...document.querySelectorAll("section:not([hidden]) > .list tbody th a")];
  const at = links.indexOf(document.activeElement);
  links[Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const writing = event.target.closest("input, select, textarea");
  if (event.key === "Escape" && document.body.dataset.part === "item")
    location.hash = listAddress();
  else if (writing) {
    if (event.key === "Escape") event.target.blur();
  } else if (["j", "ArrowRight"].includes(event.key)) move(1);
  else if (["k", "ArrowLeft"].includes(event.key)) move(-1);
  else if (document.body.dataset.part === "item" && /^[1-9]$/.test(event.key))
    chooseFact(Number(event.key) - 1);
  else if (event.key === "/" && document.body.dataset.part === "items") {
    event.preventDefault();
    byId("filters").elements.text.focus();
  }
}

const THEMES = ["system", "light", "dark"];

function useTheme(name) {
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  byId("theme").textContent = `Theme: ${name}`;
  byId("theme").dataset.name = name;
}

function kept(name) {
  try {
    if (name) localStorage.setItem("pytest-compaction-theme", name);
    return localStorage.getItem("pytest-compaction-theme");
  } catch {
    return null; // a browser may keep nothing for files
  }
}

let started = false;
useTheme(THEMES.includes(kept()) ? kept() : "system");
byId("theme").addEventListener("click", () => {
  const next = THEMES[(THEMES.indexOf(byId("theme").dataset.name) + 1) % THEMES.length];
  useTheme(next);
  kept(next);
});
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});
startList();
startChanges();
document.addEventListener("keydown", pressed);
window.addEventListener("hashchange", open);
open();
started = true;
