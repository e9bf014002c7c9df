// The felt of a live table, mounted again whenever its layout or the colour of the cloth changes.
//   const cloth = new Cloth(host, {label, onPick}, {drawn: () => ..., failed: (refusal) => ...});
//   cloth.follow(setUp)          at every change of the table
//   cloth.felt, cloth.layout     null until they have been loaded

import { Refusal } from "../lib/api.js";
import { layoutOf } from "../lib/boxes.js";
import { h, put } from "../lib/dom.js";
import { baize } from "../lib/shell.js";
import { mountFelt } from "./felt.js";

/** How long to wait before a felt that failed to load is asked for again. */
const AGAIN_MS = 3000;

/** The felt that belongs to a table's set-up. */
export class Cloth {
  /**
   * @param {HTMLElement} host
   * @param {Omit<import("./felt.js").FeltOptions, "book" | "layout" | "palette">} options
   * @param {{drawn: () => void, failed?: (refusal: Refusal) => void}} tell
   */
  constructor(host, options, tell) {
    this.host = host;
    this.options = options;
    this.tell = tell;
    /** @type {import("./felt.js").Felt | null} */
    this.felt = null;
    /** @type {import("../lib/types").LayoutOddsSheet | null} */
    this.layout = null;
    /** Book, layout and palette that are mounted or being loaded. */
    this._wanted = "";
  }

  /**
   * Mount the felt of a set-up, unless it is there or on its way. If another one is wanted before it arrives, it is
   * dropped.
   * @param {Pick<import("../lib/types").SetUpState, "book" | "layout">} setUp
   */
  async follow({ book, layout }) {
    const palette = baize();
    const wanted = `${book}/${layout}/${palette}`;
    if (wanted === this._wanted) return;
    this._wanted = wanted;
    try {
      const [sheet, felt] = await Promise.all([
        layoutOf(book, layout),
        mountFelt(h("div"), { ...this.options, book, layout, palette }),
      ]);
      if (this._wanted !== wanted) return;
      put(this.host, felt.svg);
      felt.host = this.host;
      this.layout = sheet;
      this.felt = felt;
      this.tell.drawn();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (this._wanted !== wanted) return;
      this.tell.failed?.(error);
      setTimeout(() => {
        if (this._wanted !== wanted) return;
        this._wanted = "";
        void this.follow({ book, layout });
      }, AGAIN_MS);
    }
  }
}
