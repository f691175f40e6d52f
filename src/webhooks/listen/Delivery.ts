import { Option, Schema } from "effect"
import type { Verdict } from "./verify.ts"

const Envelope = Schema.fromJsonString(
  Schema.Struct({ id: Schema.String, type: Schema.String, data: Schema.Record(Schema.String, Schema.Unknown) }),
)
export type Envelope = typeof Envelope.Type

const decode = Schema.decodeUnknownOption(Envelope)

/** What a body says, if it is a delivery at all. */
export const envelopeOf = (body: Buffer): Envelope | undefined => Option.getOrUndefined(decode(body.toString("utf8")))

/** A request that came in and how it is answered. */
export interface Delivery {
  /** Milliseconds. */
  readonly at: number
  readonly path: string
  readonly webhook: string
  readonly attempt: string
  readonly verdict: Verdict
  /** Whether an event with its id was accepted before. */
  readonly isDuplicate: boolean
  /** The status of our answer. */
  readonly status: number
  /** Undefined for what is none. */
  readonly envelope: Envelope | undefined
  readonly body: Buffer
}
