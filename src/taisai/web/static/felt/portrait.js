// A felt for a screen that fingers touch and that is too narrow for it: the sections one under another, Big and Small
// first, every area large enough for a finger. Enters: a felt and the width in pixels. Leaves: the same felt, its areas
// moved; `asPrinted` puts them back.
//   asSections(felt, 374, 44); asPrinted(felt)

import { s } from "../lib/dom.js";

/** @typedef {import("./felt.js").Place} Place */
/** @typedef {{width: number, height: number}} Size */

const GAP = 6;
const HEADING = 24;
const TALLEST = 150;

/**
 * Where areas of one size go, row by row: their scale, and the corner of each.
 * @param {Size} size of an area as it is drawn
 * @param {number} count
 * @param {number} width of the screen
 * @param {number} least the least side of an area
 * @returns {{scale: number, corners: [number, number][], height: number}}
 */
export function rowsOf(size, count, width, least) {
  const needed = least / Math.min(size.width, size.height);
  const most = Math.max(1, Math.floor((width + GAP) / (size.width * needed + GAP)));
  const rows = Math.ceil(count / most);
  const each = Math.ceil(count / rows);
  const filled = (width - (each - 1) * GAP) / each / size.width;
  const scale = Math.max(Math.min(filled, TALLEST / size.height), Math.min(needed, filled));
  const [across, down] = [size.width * scale + GAP, size.height * scale + GAP];
  const left = (width - (each * across - GAP)) / 2;
  const corners = Array.from(
    { length: count },
    (_, place) => /** @type {[number, number]} */ ([left + (place % each) * across, Math.floor(place / each) * down]),
  );
  return { scale, corners, height: rows * down };
}

/** The sections, that of Big and Small first. @param {import("./felt.js").Felt} felt */
function inOrder(felt) {
  const first = felt.sectionOf("small") ?? felt.sectionOf("big");
  return [...felt.sections].sort((one, two) => Number(two === first) - Number(one === first));
}

/**
 * Put the sections of a felt one under another.
 * @param {import("./felt.js").Felt} felt
 * @param {number} width
 * @param {number} least
 */
export function asSections(felt, width, least) {
  asPrinted(felt);
  const { svg } = felt;
  svg.dataset.printed = svg.getAttribute("viewBox") ?? "";
  const headings = s("g", { class: "section-names" });
  svg.append(headings);
  const sections = inOrder(felt);
  /** @type {Map<string, Place>} */
  const moved = new Map();
  let top = 0;
  for (const section of sections) {
    if (section) headings.append(s("text", { x: 2, y: top + HEADING - 8 }, section));
    top += section ? HEADING : 0;
    /** @type {Map<string, string[]>} */
    const bySize = new Map();
    for (const box of felt.boxes.keys()) {
      if (felt.sectionOf(box) !== section) continue;
      const { width: wide, height: high } = felt.place(box);
      const key = `${Math.round(wide)} ${Math.round(high)}`;
      bySize.set(key, [...(bySize.get(key) ?? []), box]);
    }
    for (const boxes of bySize.values()) {
      const { scale, corners, height } = rowsOf(felt.place(boxes[0]), boxes.length, width, least);
      boxes.forEach((box, place) => {
        const was = felt.place(box);
        const [x, y] = [corners[place][0], top + corners[place][1]];
        moved.set(box, { x, y, width: was.width * scale, height: was.height * scale });
        const transform = `translate(${x - was.x * scale} ${y - was.y * scale}) scale(${scale})`;
        felt.boxes.get(box)?.setAttribute("transform", transform);
      });
      top += height;
    }
    top += GAP;
  }
  for (const [box, area] of felt.areas) if (area !== felt.boxes.get(box)) area.setAttribute("display", "none");
  svg.setAttribute("viewBox", `0 0 ${width} ${Math.ceil(top)}`);
  svg.classList.add("by-section");
  felt.moved(moved);
}

/** Put every area back where it is printed. @param {import("./felt.js").Felt} felt */
export function asPrinted(felt) {
  const { svg } = felt;
  if (!svg.classList.contains("by-section")) return;
  svg.querySelector(".section-names")?.remove();
  for (const [, area] of felt.areas) {
    area.removeAttribute("transform");
    area.removeAttribute("display");
  }
  svg.setAttribute("viewBox", svg.dataset.printed ?? "");
  svg.classList.remove("by-section");
  felt.moved(new Map());
}
