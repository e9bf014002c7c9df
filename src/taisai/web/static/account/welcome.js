// A new member of staff chooses a password with a one-time link: /welcome?post=dealer&table=TS-A#TOKEN.
// The token is in the fragment, which browsers do not send, and is removed from the address at once.

import { post, Refusal } from "../lib/api.js";
import { $, h, put, query } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { startPage } from "../lib/shell.js";
import { enter, field, form, postChoice } from "./people.js";

const token = location.hash.slice(1);
history.replaceState(null, "", location.pathname + location.search);

await startPage({ title: "people.welcome" });
const first = field(t("people.new-password"), {
  name: "password",
  type: "password",
  autocomplete: "new-password",
  required: true,
  minlength: 1,
});
const again = field(t("people.again"), {
  name: "again",
  type: "password",
  autocomplete: "new-password",
  required: true,
});
const role = postChoice(query("post"));
let chosen = "";

async function choose() {
  if (first.input.value !== again.input.value) {
    throw new Refusal({ code: "people", sentence: t("people.differ") });
  }
  if (!chosen) chosen = (await post("/api/one-time", { token, password: first.input.value })).said;
  await enter(chosen, first.input.value, role.select.value, query("table"));
}

put(
  $("#main"),
  h("h1", null, t("people.welcome")),
  token
    ? form([h("p", null, t("people.choose")), first.row, again.row, role.row], t("people.go-on"), choose)
    : h(
        "div",
        { class: "panel" },
        h("p", null, t("people.no-token")),
        h("a", { class: "button main", href: "/sign-in" }, t("people.sign-in")),
      ),
);
if (token) first.input.focus();
