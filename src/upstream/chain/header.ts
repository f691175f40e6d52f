import { Effect, Schema } from "effect"
import { OddAnswer } from "./failures.ts"

export interface BlockHeader {
  readonly number: number
  /** 64 digits, without 0x. */
  readonly hash: string
  readonly parentHash: string
  /** Milliseconds UTC. */
  readonly at: number
}

const Hash = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/i))
const Quantity = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{1,13}$/i))

/** The part of a block that matters, of the dozens of fields that nodes give. */
const WireHeader = Schema.Struct({ number: Quantity, hash: Hash, parentHash: Hash, timestamp: Quantity })
const decode = Schema.decodeUnknownEffect(WireHeader)

const digits = (hash: string) => hash.slice(2).toLowerCase()

export const readHeader = (value: unknown): Effect.Effect<BlockHeader, OddAnswer> =>
  decode(value).pipe(
    Effect.map(({ number, hash, parentHash, timestamp }) => ({
      number: Number(number),
      hash: digits(hash),
      parentHash: digits(parentHash),
      at: Number(timestamp) * 1000,
    })),
    Effect.mapError((error) => new OddAnswer({ detail: `a block: ${error.message}` })),
  )

/** The answer about one block, which the node may not have. */
export const readBlock = (number: number, value: unknown): Effect.Effect<BlockHeader | undefined, OddAnswer> =>
  value === null
    ? Effect.succeed(undefined)
    : Effect.filterOrFail(
        readHeader(value),
        (header) => header.number === number,
        (header) => new OddAnswer({ detail: `block ${header.number} in the place of ${number}` }),
      )
