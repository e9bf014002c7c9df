// Staff and their posts, for the administrator. New members of staff choose a password with a one-time link.
// Enters: /api/staff. Leaves: accounts, links, logins disabled and enabled.

import { POSTS } from "../account/people.js";
import { formDialog } from "../deal/dialogs.js";
import { NAME_PATTERN } from "../deal/forms.js";
import { refused } from "../deal/lock.js";
import { get, part, patch, post } from "../lib/api.js";
import { h, labelled, put } from "../lib/dom.js";
import { t } from "../lib/i18n.js";
import { dateTime } from "../lib/money.js";
import { dialog, toast } from "../lib/shell.js";

const ROLES = POSTS.filter((each) => each !== "administrator");

/**
 * Posts as checkboxes, each with its tables (empty: all).
 * @param {import("../lib/types").StaffSheet} [sheet]
 */
function postsFields(sheet) {
  const rows = ROLES.map((role) => {
    const held = sheet?.posts.find((each) => each.role === role);
    const on = h("input", { type: "checkbox", name: `post-${role}`, checked: Boolean(held) });
    const tables = h("input", {
      name: `tables-${role}`,
      "aria-label": t("pit.tables-of", { post: t(`post.${role}`) }),
      placeholder: t("pit.every-table"),
      autocomplete: "off",
      value: held && held.tables !== "*" ? held.tables.join(", ") : "",
    });
    return {
      role,
      on,
      tables,
      row: h(
        "div",
        { class: "post-row" },
        h("label", { class: "switch" }, on, h("span", null, t(`post.${role}`))),
        tables,
      ),
    };
  });
  const admin = h("input", { type: "checkbox", name: "administrator", checked: Boolean(sheet?.administrator) });
  return {
    row: h(
      "fieldset",
      null,
      h("legend", null, t("pit.posts")),
      h("p", { class: "muted" }, t("pit.posts-words")),
      ...rows.map((each) => each.row),
      h("div", { class: "post-row" }, h("label", { class: "switch" }, admin, h("span", null, t("post.administrator")))),
    ),
    value: () => ({
      posts: rows
        .filter((each) => each.on.checked)
        .map(({ role, tables }) => ({
          role,
          tables: tables.value.trim() ? tables.value.split(/[\s,]+/).filter(Boolean) : "*",
        })),
      administrator: admin.checked,
    }),
  };
}

/**
 * Show the one-time link, to be handed over.
 * @param {import("../lib/types").LinkMade} made
 * @param {string} role
 */
async function showLink(made, role) {
  const address = `${location.origin}/welcome?post=${role}#${made.token}`;
  const copy = () =>
    navigator.clipboard?.writeText(address).then(
      () => toast(t("pit.copied"), { kind: "good" }),
      () => null,
    );
  await dialog(t("pit.link"), (close) => [
    h("p", null, t("pit.link-words", { who: made.login, time: dateTime(made.expires_at) })),
    h(
      "p",
      null,
      h("input", {
        class: "link-address",
        readonly: true,
        value: address,
        "aria-label": t("pit.link"),
        onfocus: (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select(),
      }),
    ),
    h(
      "p",
      { class: "row" },
      h("button", { class: "main", onclick: () => void copy() }, t("pit.copy")),
      h("button", { onclick: () => close(null) }, t("close")),
    ),
  ]);
}

/** @type {import("./pit.js").Open} */
export async function open(host, _argument, who) {
  const list = h("tbody", null);
  const roleOf = (/** @type {any} */ sheet) =>
    sheet.administrator ? "administrator" : (sheet.posts[0]?.role ?? "dealer");

  async function add() {
    const login = h("input", {
      name: "login",
      required: true,
      maxlength: 64,
      autocomplete: "off",
      pattern: NAME_PATTERN,
    });
    const name = h("input", { name: "name", required: true, maxlength: 200, autocomplete: "off" });
    const posts = postsFields();
    const made = await formDialog(
      t("pit.add-staff"),
      [labelled(t("people.login"), login), labelled(t("pit.name"), name), posts.row],
      t("pit.add-staff"),
      () => post("/api/staff", { login: login.value.trim(), name: name.value.trim(), ...posts.value() }),
    );
    if (made) await showLink(made, roleOf(posts.value()));
    await again();
  }
  /** @param {import("../lib/types").StaffSheet} sheet */
  async function change(sheet) {
    const name = h("input", { name: "name", required: true, maxlength: 200, value: sheet.name });
    const reason = h("input", { name: "reason", maxlength: 200, autocomplete: "off" });
    const posts = postsFields(sheet);
    await formDialog(
      sheet.login,
      [labelled(t("pit.name"), name), posts.row, labelled(t("deal.reason"), reason)],
      t("pit.change"),
      () =>
        patch(`/api/staff/${part(sheet.login)}`, {
          name: name.value.trim(),
          reason: reason.value.trim(),
          ...posts.value(),
        }),
    );
    await again();
  }
  /**
   * @param {import("../lib/types").StaffSheet} sheet
   * @param {"disable" | "enable"} what
   */
  async function turn(sheet, what) {
    const reason = h("input", { name: "reason", required: true, maxlength: 200, autocomplete: "off" });
    await formDialog(
      `${t(`pit.login-${what}`)}: ${sheet.login}`,
      [labelled(t("deal.reason"), reason)],
      t(`pit.login-${what}`),
      () => post(`/api/staff/${part(sheet.login)}/${what}`, { reason: reason.value.trim() }),
    );
    await again();
  }
  /**
   * Create a one-time link. It invalidates the one before, so it is requested once; it is not shown over another part
   * or the lock.
   * @param {import("../lib/types").StaffSheet} sheet
   * @param {HTMLButtonElement} button
   */
  async function link(sheet, button) {
    button.disabled = true;
    try {
      const made = await post(`/api/staff/${part(sheet.login)}/link`);
      if (list.isConnected && !document.querySelector("dialog[open]")) await showLink(made, roleOf(sheet));
    } catch (error) {
      refused(error);
    } finally {
      button.disabled = false;
    }
    await again();
  }
  /** Draw the list again after a change. */
  async function again() {
    if (list.isConnected) await draw().catch(refused);
  }
  async function draw() {
    const all = await get("/api/staff");
    put(
      list,
      ...all.map((/** @type {import("../lib/types").StaffSheet} */ sheet) =>
        h(
          "tr",
          { "data-login": sheet.login },
          h("th", { scope: "row" }, sheet.login),
          h("td", null, sheet.name),
          h(
            "td",
            null,
            ...sheet.posts.map((each) =>
              h(
                "div",
                null,
                `${t(`post.${each.role}`)}: ${each.tables === "*" ? t("pit.every-table") : each.tables.join(", ")}`,
              ),
            ),
            sheet.administrator && h("div", null, t("post.administrator")),
          ),
          h(
            "td",
            null,
            sheet.disabled && h("span", { class: "tag bad" }, t("pit.is-disabled")),
            sheet.locked && h("span", { class: "tag warn" }, t("deal.locked")),
            !sheet.has_password && h("span", { class: "tag" }, t("pit.no-password")),
          ),
          h(
            "td",
            null,
            h(
              "div",
              { class: "row" },
              h("button", { onclick: () => void change(sheet) }, t("pit.change")),
              h(
                "button",
                { onclick: (/** @type {any} */ event) => void link(sheet, event.currentTarget) },
                t("pit.link"),
              ),
              sheet.locked &&
                h(
                  "button",
                  { onclick: () => void post(`/api/staff/${part(sheet.login)}/unlock`).then(again, refused) },
                  t("deal.unlock"),
                ),
              sheet.login !== who.who &&
                h(
                  "button",
                  {
                    class: sheet.disabled ? "" : "bad",
                    onclick: () => void turn(sheet, sheet.disabled ? "enable" : "disable"),
                  },
                  t(sheet.disabled ? "pit.login-enable" : "pit.login-disable"),
                ),
            ),
          ),
        ),
      ),
    );
  }
  put(
    host,
    h(
      "section",
      { class: "panel" },
      h(
        "div",
        { class: "row part-top" },
        h("h2", { class: "grow" }, t("pit.part.staff")),
        h("button", { class: "main", "data-action": "add-staff", onclick: () => void add() }, t("pit.add-staff")),
      ),
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": t("pit.part.staff") },
        h(
          "table",
          { class: "staff" },
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              ...["people.login", "pit.name", "pit.posts", "pit.state", "pit.actions"].map((key) =>
                h("th", { scope: "col" }, t(key)),
              ),
            ),
          ),
          list,
        ),
      ),
    ),
  );
  await draw();
}
