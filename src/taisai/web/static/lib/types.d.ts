// Shapes of what the server says: the play socket (web/wire.py, floor/view.py) and the API (/openapi.json).
// Only tsc reads this file; browsers never load it.

export type Box = string;
export type Dice = [number, number, number];

/** A limit of a box, in minor units. */
export interface BoxLimit { min: number; max: number }
export interface Limits {
  unit: number;
  default: BoxLimit;
  kinds: Record<string, BoxLimit>;
  /** By pair: "big-small", "odd-even". */
  differential: Record<string, number>;
}
export interface SetUp {
  book: string;
  layout: string;
  digest: string;
  limits: Limits;
  currency: string;
  denominations: number[];
  colours: Record<string, { chips: number }>;
}
export type RoundPhase =
  | "between-rounds" | "betting" | "bets-closed" | "uncovered" | "announced" | "entered" | "collected";
export interface Round {
  number: number;
  phase: RoundPhase;
  opened_at: number;
  tumbles: number;
  commitment: string;
  /** Absent or null until the dice are uncovered. */
  dice?: Dice | null;
  call: string;
  pressed: number[];
  entered?: Dice | null;
  lit: Box[];
  lights_fault: string;
  interrupted: string;
  /** After the close: player, box, stake, at risk. */
  bets: [string, Box, number, number][];
  flags: any[];
}
export interface Result {
  number: number;
  dice: Dice | null;
  call: string;
  void: string;
  reversed: boolean;
  ended_at: number;
}
/** What everybody sees. Money in minor units, times in microseconds since 1970. */
export interface View {
  table: string;
  phase: "new" | "closed" | "open";
  suspended: string;
  round: Round;
  seats: Record<string, { present: boolean; colour: string | null; value: number }>;
  stakes: Record<string, Record<Box, number>>;
  totals: Record<Box, number>;
  /** Bets settled so far in this round, as rows: `lineOf` of table.js names their parts. */
  lines: any[];
  results: Result[];
  set_up?: SetUp;
  /** How much more each box takes; true is no limit but the chips. */
  room?: Record<Box, number | true>;
}
/** A settled bet. */
export interface Line {
  player?: string;
  box: Box;
  stake: number;
  at_risk: number;
  pays: number | null;
  winnings: number;
  returned: number;
  why?: string;
  clauses?: string[];
}
export interface SeatView {
  player: string;
  seated: boolean;
  funds: number;
  debt: number;
  on_felt: number;
  last: null | {
    number: number; dice: Dice | null; void: string; lines: Line[];
    funds_before: number | null; funds_after: number | null;
  };
}
/** What an automatic dealer does next, and when. */
export interface Until { what: string; at: number | null }
/** Something that happened; `event` says what. */
export interface Told { event: string; [key: string]: any }
export interface You { id: string; role: string; player: string | null }
export interface Done { id: string; seq: number; repeated: boolean }
export interface Me {
  who: string; post: string; tables: "*" | string[]; csrf: string; locked: boolean; expires_at: number;
  player: string | null;
  /** After so long without a touch the screen locks itself; 0 is never. */
  idle_s: number;
}
/** Why something was not done: the one shape of every error. */
export interface Fault {
  code: string; sentence: string; clauses?: string[]; allowed?: string; field?: string; request?: string;
}
/** The second person of a two-person authorisation. */
export interface Second { login: string; password: string; role: string }

export interface TableCard {
  table: string; mode: string; phase: string; suspended: string; disabled: boolean;
  book: string | null; layout: string | null; currency: string | null; limits: Limits | null;
  round: number; round_phase: RoundPhase; players: number; watchers: number; results: Result[];
}
export interface FloorCard { house: string; demo: boolean; now: number; tables: TableCard[]; disabled: boolean }

export interface PayRow {
  bet: string; boxes: Box[]; pays: number; dice: number | null; totals: number[] | null; clauses: string[];
}
export interface LayoutSheet {
  name: string; title: string; clauses: string[]; boxes: Box[]; pay: PayRow[]; odds: any[];
}
export interface Clause {
  book: string; id: string; document?: string; summary?: string; question?: string; reading?: string;
  [key: string]: any;
}
export interface RoundReplay extends Result {
  replay: true; table: string; lines: Line[]; staked: number; returned: number; net: number;
  funds_before: number | null; funds_after: number | null;
}

/** A refusal as the table gives it. */
export interface RefusalView { code: string; sentence: string; clauses?: string[]; allowed?: string }
/** A bet as the dice decide it, with the chips to hand over by denomination. */
export interface Payout {
  player: string; box: Box; stake: number; at_risk: number; pays: number | null; winnings: number; returned: number;
  chips: Record<string, number>; done: boolean;
}
export interface Breach { box: Box; player: string | null; rule: string; amount: number; clauses: string[] }
/** What the crew of a table sees (floor/view.py). */
export interface Crew {
  seq: number; float: number; drop: number; funds: Record<string, number>; debts: Record<string, number>;
  dice_in: string | null; dice_sets: Record<string, any>; checks: Record<string, any>; test_runs: number;
  disputes: Record<string, { player: string; round: number; claim: string; opened_at: number; resolution: string }>;
  meters: any; result: any;
  /** For each action of this post: null when it may be tried, else why not. */
  moves: Record<string, RefusalView | null>;
  /** Actions that need a second person or a reason now. */
  needs: Record<string, { second: string[]; reason: boolean }>;
  next?: { do: string; say?: string; bell?: boolean; times?: number } | null;
  procedure?: {
    device: string; tumbles_min: number; terminal: boolean; lights: boolean; steps: string[]; void_call: string;
    voids: { reason: string; summary: string; clauses: string[] }[];
  };
  opening?: { item: string; summary: string; clauses: string[] }[];
  breaches?: Breach[];
  losers?: { box: Box; amount: number; players: string[] }[];
  exposure?: { staked: number; loss: number; dice: Dice };
  payouts?: Payout[];
}
/** A table in the pit's grid (/api/pit). */
export interface PitCard extends TableCard {
  staked: number; rounds: number; voided: number; win: number; hold: number | null; float: number; drop: number;
  opened_at: number | null; interrupted: string; broken: string; dice_hours: number | null; disputes: number;
  rounds_per_hour: number | null; flags: any[]; exposure?: { staked: number; loss: number };
}
export interface Alert {
  id: string; kind: string; table: string; round: number; at: number; what: string; amount: number; times: number;
  cleared_at: number | null; cleared_by: string; note: string;
}
