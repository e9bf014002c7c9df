// Every page preloads the modules that its script imports, so that a browser fetches them all at once.

import { STATIC } from "./browser.js";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const IMPORTED = /^(?:import|export|\}) [^"]*?"(\.[^"]+)";$/gm;
const LATER = /=> import\("(\.[^"]+)"\)/g;

const read = (url) => readFileSync(url, "utf-8");
const path = (url) => url.href.slice(STATIC.href.length);

/** The modules that a module imports, and those that they import; `later` counts those loaded on demand too. */
function importsOf(url, later, found = new Set()) {
  const text = read(url);
  for (const [, name] of [...text.matchAll(IMPORTED), ...(later ? text.matchAll(LATER) : [])]) {
    const next = new URL(name, url);
    if (found.has(path(next))) continue;
    found.add(path(next));
    importsOf(next, later, found);
  }
  return found;
}

const pages = readdirSync(STATIC, { recursive: true }).filter((name) => name.endsWith(".html"));
for (const name of pages)
  test(name, () => {
    const html = read(new URL(name, STATIC));
    const script = new URL(/<script type="module" src="\/static\/([^"]+)">/.exec(html)[1], STATIC);
    const preloaded = [...html.matchAll(/rel="modulepreload" href="\/static\/([^"]+)"/g)].map(([, each]) => each);
    const missing = [...importsOf(script, false)].filter((each) => !preloaded.includes(each));
    const lines = missing.map((each) => `<link rel="modulepreload" href="/static/${each}">`);
    assert.deepEqual(missing, [], `${name} lacks:\n${lines.join("\n")}`);
    const wanted = importsOf(script, true);
    assert.deepEqual(
      preloaded.filter((each) => !wanted.has(each)),
      [],
      "nobody imports these",
    );
    assert.equal(new Set(preloaded).size, preloaded.length);
  });
