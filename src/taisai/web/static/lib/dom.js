// Elements without a framework.
//   h("button", {class: "big", onclick: deal}, "Deal")   an element; false and null are left out
//   put(host, ...children)                               replaces what is in the host
// Text is always set as text: nothing from the server is parsed as markup. Attributes that begin with "on" are
// listeners (the security policy forbids inline ones); `style` is an object and goes through CSSOM.

/** @typedef {Node | string | number | null | undefined | false} Some */
/** @typedef {Some | Some[]} Child */

/**
 * An element with attributes, listeners and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes, ...children) {
  const made = document.createElement(tag);
  dress(made, attributes);
  made.append(...nodes(children));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * The same for SVG.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function s(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  dress(made, attributes);
  made.append(...nodes(children));
  return made;
}

/**
 * @param {Element} made
 * @param {Record<string, any> | null} [attributes]
 */
function dress(made, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(/** @type {HTMLElement} */ (made).style, value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @param {Child[]} children
 * @returns {(Node | string)[]}
 */
function nodes(children) {
  return /** @type {any[]} */ (children)
    .flat()
    .filter((each) => each !== null && each !== undefined && each !== false)
    .map((each) => (each instanceof Node ? each : String(each)));
}

/**
 * An input with its label.
 * @param {string} words
 * @param {HTMLElement} input
 */
export function labelled(words, input) {
  return h("label", { class: "field" }, h("span", null, words), input);
}

/**
 * Replace what is in an element.
 * @param {Element} host
 * @param {...Child} children
 */
export function put(host, ...children) {
  host.replaceChildren(...nodes(children));
}

/**
 * Set text only if it has changed: screen readers read a live region again whenever it is written.
 * @param {Element} host
 * @param {string} text
 */
export function say(host, text) {
  if (host.textContent !== text) host.textContent = text;
}

/**
 * The element that matches; its absence is a bug in the page.
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement}
 */
export function $(selector, root = document) {
  const found = root.querySelector(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return /** @type {HTMLElement} */ (found);
}

/** A parameter of the page's address, or "". @param {string} name */
export function query(name) {
  return new URLSearchParams(location.search).get(name) ?? "";
}
