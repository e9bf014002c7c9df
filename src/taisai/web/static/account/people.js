// What the sign-in and welcome pages share: posts, and the page of each post.
// Enters: login, password, post, table. Leaves: a session in this browser, and the next page.

import { post, Refusal, remember } from "../lib/api.js";
import { h, labelled, query } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { refusalWords } from "../lib/shell.js";

/** Posts to sign in to. */
export const POSTS = ["dealer", "supervisor", "pit-manager", "shift-manager", "auditor", "administrator"];

/**
 * The page that belongs to a post.
 * @param {string} role
 * @param {string} table
 */
function workplace(role, table) {
  const at = table ? `?table=${encodeURIComponent(table)}` : "";
  const round = query("round");
  if (round && table && role !== "dealer") return `/round${at}&round=${encodeURIComponent(round)}`;
  return role === "dealer" ? (table ? `/deal${at}` : "/") : `/pit${at}`;
}

/**
 * Sign in and go to the page of the post.
 * @param {string} login
 * @param {string} password
 * @param {string} role
 * @param {string} table
 */
export async function enter(login, password, role, table) {
  const { me } = await post("/api/sign-in", { login, password, post: role });
  remember(me);
  location.href = workplace(role, table);
}

/**
 * A labelled input.
 * @param {string} label
 * @param {Record<string, any>} attributes
 */
export function field(label, attributes) {
  const input = h("input", attributes);
  return { input, row: labelled(label, input) };
}

/**
 * A form that shows above its button what went wrong.
 * @param {(Node | string | null)[]} rows
 * @param {string} action the words of the button
 * @param {() => Promise<void>} submit
 */
export function form(rows, action, submit) {
  const fault = h("p", { class: "fault", role: "alert", hidden: true });
  const button = h("button", { class: "main", type: "submit" }, action);
  const made = h("form", { class: "people panel" }, ...rows, fault, button);
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    fault.hidden = true;
    try {
      await submit();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      fault.textContent = refusalWords(error);
      fault.hidden = false;
    } finally {
      button.disabled = false;
    }
  });
  return made;
}

/**
 * A choice of posts.
 * @param {string} chosen
 */
export function postChoice(chosen) {
  const select = h(
    "select",
    { name: "post" },
    ...POSTS.map((each) => h("option", { value: each, selected: each === chosen }, t(`post.${each}`))),
  );
  return { select, row: labelled(t("people.post"), select) };
}
