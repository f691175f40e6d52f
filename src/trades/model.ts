import { Schema } from "effect"

/** Format of an export's lines. NDJSON is derived from the JSON array. */
export const LineForm = Schema.Literals(["json", "csv"])
export type LineForm = typeof LineForm.Type

/** Whose trades an export has, and its seconds, both ends inclusive. */
export const ExportRange = Schema.Struct({
  subject: Schema.Literals(["wallet", "token"]),
  /** Hexadecimal digits in lower case: 40 of a wallet, 64 of a token. */
  id: Schema.String.check(Schema.isPattern(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/)),
  from: Schema.Int,
  to: Schema.Int,
})
export type ExportRange = typeof ExportRange.Type

/** The newest block of the ledger as a walk saw it. The export is valid while this block is canonical. */
export const ObservedBlock = Schema.Struct({ number: Schema.Int, hash: Schema.String, at: Schema.Int })
export type ObservedBlock = typeof ObservedBlock.Type

/** The result of an export. */
export const ExportEnd = Schema.Struct({
  count: Schema.Int,
  /** Why the export is partial. */
  reason: Schema.NullOr(Schema.String),
  seen: Schema.NullOr(ObservedBlock),
})
export type ExportEnd = typeof ExportEnd.Type

/** A trade's position in the order of an export, newest first. */
export const TradePosition = Schema.Struct({ at: Schema.Int, block: Schema.Int, logIndex: Schema.Int })
export type TradePosition = typeof TradePosition.Type

/** Progress of a walk; another worker can continue from it. */
export const WalkPosition = Schema.Struct({
  startedAt: Schema.Int,
  count: Schema.Int,
  last: TradePosition,
  seen: Schema.NullOr(ObservedBlock),
})
export type WalkPosition = typeof WalkPosition.Type

/** Why an export cannot be made now, as reported to its clients. */
export const impossible = {
  history_missing: "The history of trades is still being read; exports are possible when it is there.",
  reorganised: "The chain was reorganised while the trades were read.",
} as const

/** A failure that waiting does not fix. */
export class ExportImpossible extends Schema.TaggedError<ExportImpossible>()("ExportImpossible", {
  reason: Schema.Literals(["history_missing", "reorganised"]),
}) {}

/** Too many exports: per account or process by count, over all by bytes. */
export class ExportsBusy extends Schema.TaggedError<ExportsBusy>()("ExportsBusy", {
  whose: Schema.Literals(["account", "server", "all"]),
  most: Schema.Int,
}) {}
