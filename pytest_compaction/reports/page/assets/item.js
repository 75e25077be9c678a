// One item: the question, its facts, the log beside the view, the answer and the verdict.

let current = null;
let opened = 0;

async function showItem(item) {
  current = item;
  const ticket = (opened += 1);
  const section = byId("part-item");
  const list = listed();
  if (!list.includes(item)) list.push(item);
  const place = list.indexOf(item);
  const title = make("h1", { id: "item-title", tabindex: "-1", dir: "auto" }, shown(titleOf(item)));
  const body = make("div", { class: "bench", "aria-busy": "true" });
  section.replaceChildren(
    crumbs(item, list, place),
    make(
      "header",
      { class: "item-head" },
      make("p", { class: "over" }, ...placeOf(item)),
      title,
      scores(item),
      siblings(item),
    ),
    body,
  );
  title.focus({ preventScroll: true });
  window.scrollTo(0, 0);
  document.title = `${plain(item.key)} – pytest-compaction`;
  announce(`item ${place + 1} of ${list.length}, ${item.outcome}, score ${score(item.overall)}`);
  let texts;
  try {
    texts = await textsOf(item.probe.case);
  } catch (error) {
    body.replaceChildren(
      make("p", { class: "note" }, "This browser cannot unpack the texts: ", shown(error.message)),
    );
    return;
  }
  if (ticket !== opened) return;
  body.replaceChildren(...workbench(item, texts));
  body.removeAttribute("aria-busy");
  listen(body);
}

function crumbs(item, list, place) {
  const step = (to, text, key) =>
    make(
      "a",
      {
        class: "quiet-button step",
        href: to ? linkTo(to) : null,
        "aria-disabled": to ? null : "true",
        "aria-keyshortcuts": key,
      },
      text,
    );
  return make(
    "nav",
    { class: "crumbs", "aria-label": "Items" },
    make("a", { href: listAddress(), id: "back" }, "← Items"),
    make("span", { class: "place" }, `${number(place + 1)} of ${number(list.length)}`),
    step(list[place - 1], "↑ previous", "k"),
    step(list[place + 1], "↓ next", "j"),
    make(
      "span",
      { class: "keys", "aria-hidden": "true" },
      make("kbd", {}, "j"),
      " ",
      make("kbd", {}, "k"),
      " items  ",
      make("kbd", {}, "1"),
      "–",
      make("kbd", {}, "9"),
      " facts  ",
      make("kbd", {}, "esc"),
      " list",
    ),
  );
}

function placeOf(item) {
  const parts = [item.arm.label, item.case.id, item.probe.id, item.probe.kind];
  if (item.probe.point) parts.push(`after ${item.probe.point}`);
  if (item.trial > 1) parts.push(`trial ${item.trial}`);
  return parts.filter(Boolean).map((part) => make("span", { dir: "auto" }, named(part)));
}

function scores(item) {
  const parts = DATA.dimensions
    .map((name, n) => [name, item.dimensions[n]])
    .filter(([, value]) => value !== null && value !== undefined);
  return make(
    "dl",
    { class: "scores" },
    make(
      "div",
      { class: "overall" },
      make("dt", {}, item.outcome),
      make("dd", {}, scoreOf(item)),
    ),
    ...parts.map(([name, value]) =>
      make("div", {}, make("dt", {}, name), make("dd", {}, score(value))),
    ),
  );
}

function siblings(item) {
  const others = item.siblings.filter((other) => other !== item);
  if (!others.length) return null;
  const links = others.map((other) =>
    make("li", {}, make("a", { href: linkTo(other) }, named(other.arm.short)), " ", scoreOf(other)),
  );
  return make("ul", { class: "siblings", "aria-label": "The same question elsewhere" }, ...links);
}
