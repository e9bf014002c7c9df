// The API, read from /openapi.json: endpoints by tag, and GETs to try.

import { get, Refusal } from "../lib/api.js";
import { $, h, labelled, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { startPage } from "../lib/shell.js";

/** @typedef {{name: string, in: string, required?: boolean, schema?: any, description?: string}} Parameter */

await startPage({ title: "docs.title" });
const api = await get("/openapi.json");

/** @param {any} schema @returns {any} */
function resolved(schema) {
  const name = schema?.$ref?.split("/").pop();
  return name ? api.components.schemas[name] : schema;
}

/**
 * A form that calls a GET.
 * @param {string} path
 * @param {Parameter[]} parameters
 */
function attempt(path, parameters) {
  const inputs = parameters.map((each) => {
    const input = h("input", { name: each.name, required: each.in === "path" });
    return { each, input, row: labelled(each.name, input) };
  });
  const answer = h("pre", { hidden: true, tabindex: "0", "aria-label": t("docs.answer") });
  const made = h(
    "form",
    { class: "try" },
    ...inputs.map((each) => each.row),
    h("button", { class: "main" }, t("docs.try")),
  );
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    let address = path;
    const asked = new URLSearchParams();
    for (const { each, input } of inputs) {
      if (each.in === "path") address = address.replace(`{${each.name}}`, encodeURIComponent(input.value));
      else if (input.value) asked.set(each.name, input.value);
    }
    try {
      const found = await get(address + (asked.size ? `?${asked}` : ""));
      answer.textContent = typeof found === "string" ? found : JSON.stringify(found, null, 2);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answer.textContent = `${error.status} ${error.code}: ${error.sentence}`;
    }
    answer.hidden = false;
  });
  return [made, answer];
}

/**
 * @param {string} path
 * @param {string} method
 * @param {any} what
 */
function endpoint(path, method, what) {
  const body = resolved(what.requestBody?.content?.["application/json"]?.schema);
  const fields = Object.entries(body?.properties ?? {});
  const made = h(
    "details",
    null,
    h(
      "summary",
      null,
      h("span", { class: "method" }, method.toUpperCase()),
      h("code", null, path),
      h("span", { class: "muted", lang: "en" }, what.summary),
    ),
  );
  made.addEventListener("toggle", () => {
    if (made.childElementCount > 1) return;
    made.append(
      h(
        "div",
        { class: "inside", lang: "en" },
        what.description && h("p", null, what.description),
        fields.length > 0 &&
          h(
            "p",
            null,
            h("strong", null, `${t("docs.body")} `),
            h(
              "code",
              null,
              fields.map(([name]) => name + ((body.required ?? []).includes(name) ? "" : "?")).join(", "),
            ),
          ),
        method === "get" ? attempt(path, what.parameters ?? []) : null,
      ),
    );
  });
  return made;
}

/** @type {Map<string, Node[]>} */
const byTag = new Map();
for (const [path, methods] of Object.entries(api.paths)) {
  for (const [method, what] of Object.entries(/** @type {Record<string, any>} */ (methods))) {
    const tag = what.tags?.[0] ?? "";
    byTag.set(tag, [...(byTag.get(tag) ?? []), endpoint(path, method, what)]);
  }
}
put(
  $("#main"),
  h(
    "div",
    { class: "docs" },
    h("h1", null, t("docs.title")),
    h("p", null, t("docs.words"), " ", h("a", { href: "/openapi.json" }, "/openapi.json")),
    ...[...byTag].map(([tag, all]) => h("section", null, h("h2", null, tag), ...all)),
  ),
);
