import { Schema } from "effect"

/** How the lines of an export are written. What is sent as a line each is made from the JSON of an array. */
export const LineForm = Schema.Literals(["json", "csv"])
export type LineForm = typeof LineForm.Type

/** Whose trades, and of which seconds; both ends belong to it. */
export const ExportRange = Schema.Struct({
  /** 40 hexadecimal digits in lower case. */
  wallet: Schema.String.check(Schema.isPattern(/^[0-9a-f]{40}$/)),
  from: Schema.Int,
  to: Schema.Int,
})
export type ExportRange = typeof ExportRange.Type

/** The newest block of the ledger as a walk saw it: while it stands, so does what was found. */
export const SeenBlock = Schema.Struct({ number: Schema.Int, hash: Schema.String, at: Schema.Int })
export type SeenBlock = typeof SeenBlock.Type

/** What is known when an export is over. */
export const ExportEnd = Schema.Struct({
  count: Schema.Int,
  /** Why it is not everything. */
  reason: Schema.NullOr(Schema.String),
  seen: Schema.NullOr(SeenBlock),
})
export type ExportEnd = typeof ExportEnd.Type

/** A trade's place in the order of an export: the newest first. */
export const TradePlace = Schema.Struct({ at: Schema.Int, block: Schema.Int, logIndex: Schema.Int })
export type TradePlace = typeof TradePlace.Type

/** How far a walk is: enough to go on with it elsewhere. */
export const WalkPosition = Schema.Struct({
  startedAt: Schema.Int,
  count: Schema.Int,
  last: TradePlace,
  seen: Schema.NullOr(SeenBlock),
})
export type WalkPosition = typeof WalkPosition.Type

/** Why an export cannot be made now, as it is told to those who wait for it. */
export const impossible = {
  history_missing: "The history of trades is still being read; exports are possible when it is there.",
  reorganised: "The chain was reorganised while the trades were looked for.",
} as const

/** Nobody should wait for it. */
export class ExportImpossible extends Schema.TaggedError<ExportImpossible>()("ExportImpossible", {
  reason: Schema.Literals(["history_missing", "reorganised"]),
}) {}

/** No place for another export: of an account or a server by their number, of all together by the bytes that they hold. */
export class ExportsBusy extends Schema.TaggedError<ExportsBusy>()("ExportsBusy", {
  whose: Schema.Literals(["account", "server", "all"]),
  most: Schema.Int,
}) {}
