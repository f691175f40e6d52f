import { Schema } from "effect"
import { exitCodes } from "#src/platform/process/exitCodes.ts"

/** Answers over HTTP, by the upstream's name. */
export const answerSources = ["gamma", "clob", "data", "site", "datastreams"] as const
export type AnswerSource = (typeof answerSources)[number]

/** Messages of sockets. `pending` are the node's pending transactions that match orders. */
export const frameSources = ["clob-socket", "rtds", "polybolt", "datastreams-socket", "sports", "pending"] as const
export type FrameSource = (typeof frameSources)[number]

export const sources = ["chain", ...answerSources, ...frameSources] as const
export type Source = (typeof sources)[number]

const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8_640_000_000_000_000 }))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

/** The version of the format that is written, and the only one that is read. */
export const formatVersion = 1
export const formatName = "presage-recording"
export const manifestFile = "manifest.json"
export const fileOf = (source: Source) => `${source}.ndjson.gz`

export const Manifest = Schema.Struct({
  format: Schema.Literal(formatName),
  version: Schema.Literal(formatVersion),
  /** Of the Presage that recorded. */
  presage: Schema.String,
  upstream: Schema.Literals(["simulator", "polymarket"]),
  started_at: Millis,
  ended_at: Millis,
  /** Why it ended: the requested range is complete, the largest size was reached, or it was stopped. */
  ended: Schema.Literals(["complete", "size", "stopped"]),
  first_block: Schema.NullOr(Count),
  last_block: Schema.NullOr(Count),
  files: Schema.Record(Schema.Literals(sources), Schema.optionalKey(Schema.Struct({ lines: Count, bytes: Count }))),
})
export type Manifest = typeof Manifest.Type

const Hash = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/i))
const Quantity = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{1,13}$/i))

/** A block as the node gave it; the other fields are kept. */
export const RawBlock = Schema.StructWithRest(
  Schema.Struct({ number: Quantity, hash: Hash, parentHash: Hash, timestamp: Quantity }),
  [Schema.Record(Schema.String, Schema.Unknown)],
)
export type RawBlock = typeof RawBlock.Type

const RawLog = Schema.StructWithRest(Schema.Struct({ address: Schema.String, topics: Schema.Array(Schema.String) }), [
  Schema.Record(Schema.String, Schema.Unknown),
])
export type RawLog = typeof RawLog.Type

/** A line of `chain`. Blocks are in the order in which they arrived: one that replaces another has its number again. */
export const ChainLine = Schema.Union([
  Schema.Struct({ at: Millis, block: RawBlock, logs: Schema.Array(RawLog) }),
  Schema.Struct({ at: Millis, earliest: RawBlock }),
  Schema.Struct({ at: Millis, finalized: Count }),
  Schema.Struct({ at: Millis, to: Schema.String, data: Schema.String, result: Schema.String }),
])
export type ChainLine = typeof ChainLine.Type

/** A line of an upstream over HTTP. */
export const AnswerLine = Schema.Struct({
  at: Millis,
  /** Path and query, relative to the upstream's address. */
  path: Schema.String,
  /** Body of a POST. */
  body: Schema.optionalKey(Schema.Unknown),
  status: Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 })),
  text: Schema.String,
})
export type AnswerLine = typeof AnswerLine.Type

/** A line of a socket. */
export const FrameLine = Schema.Struct({ at: Millis, text: Schema.String })
export type FrameLine = typeof FrameLine.Type

export type Line = ChainLine | AnswerLine | FrameLine

/** A recording that cannot be read or written. */
export class BadRecording extends Schema.TaggedError<BadRecording>()("BadRecording", { problem: Schema.String }) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return this.problem
  }
}
