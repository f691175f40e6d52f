import { Schema } from "effect"

export const Text = Schema.String
export const TextOrNull = Schema.NullOr(Schema.String)
export const Texts = Schema.Array(Schema.String)
export const Flag = Schema.Boolean
export const Amount = Schema.Finite
export const AmountOrNull = Schema.NullOr(Schema.Finite)
export const Whole = Schema.Int
export const WholeOrNull = Schema.NullOr(Schema.Int)
export const maybe = Schema.optionalKey

export const Seq = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
  description: "Sequence number of the event log entry; all messages of an entry share it",
})
export const Millis = Schema.Int.annotate({ description: "Unix milliseconds" })
export const Seconds = Schema.Int.annotate({ description: "Unix seconds" })
export const Wallet = Schema.String.annotate({ description: "0x and 40 lower-case hexadecimal digits" })
export const Hash = Schema.String.annotate({ description: "0x and 64 hexadecimal digits" })
export const TokenId = Schema.String.annotate({ description: "A decimal number of up to 78 digits" })
export const Side = Schema.Literals(["BUY", "SELL"])

/** A message schema with its description and example. */
export const message = <F extends Schema.Struct.Fields>(
  description: string,
  fields: F,
  example: Schema.Struct<F>["Type"],
): Schema.Struct<F> => Schema.Struct(fields).annotate({ description, examples: [example] })

/** Values shared by the examples. */
export const sample = {
  moment: 1_794_700_800_000,
  second: 1_794_700_800,
  epoch: "0f4c1c1e-6a52-4a4e-9d5c-0a4f4b0e7f11",
  subscriber: "g1-42",
  subscription: "g1-42:1",
  seq: 1_000_421,
  block: 79_500_123,
  tx: `0x${"3b".repeat(32)}`,
  order: `0x${"a7".repeat(32)}`,
  hash: `0x${"5e".repeat(32)}`,
  condition: `0x${"c4".repeat(32)}`,
  maker: `0x${"1a".repeat(20)}`,
  taker: `0x${"2b".repeat(20)}`,
  token: "71321045679252212594626385532706912750332728571942532289631379312455583992563",
  otherToken: "52114319501245915516055106046884209969926127482827954674443846427813813222426",
} as const
