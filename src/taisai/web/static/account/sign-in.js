// Staff sign in to a post. `?post=dealer&table=TS-A` fills in the form, and the table is where they go next.

import { $, h, put, query } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { startPage } from "../lib/shell.js";
import { enter, field, form, postChoice } from "./people.js";

await startPage({ title: "people.sign-in" });
const login = field(t("people.login"), {
  name: "login",
  autocomplete: "username",
  required: true,
  maxlength: 64,
  value: query("login"),
});
const password = field(t("people.password"), {
  name: "password",
  type: "password",
  autocomplete: "current-password",
  required: true,
});
const role = postChoice(query("post"));
put(
  $("#main"),
  h("h1", null, t("people.sign-in")),
  form([login.row, password.row, role.row], t("people.sign-in"), () =>
    enter(login.input.value.trim(), password.input.value, role.select.value, query("table")),
  ),
  h("p", { class: "muted" }, t("people.players-note"), " ", h("a", { href: "/" }, t("nav.tables"))),
);
login.input.focus();
