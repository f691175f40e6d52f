import { Result, Schema } from "effect"
import type { Tick } from "#src/domain/Tick.ts"
import { coinOfFeedId, fromEighteenDecimals } from "./wireValues.ts"

/** The envelope of a report, over REST and the socket. */
const WireReport = Schema.Struct({
  feedID: Schema.String,
  observationsTimestamp: Schema.Int,
  fullReport: Schema.String,
})

const wordDigits = 64
/** Word with the offset of the blob, after the bytes32[3] context. */
const offsetWord = 3
const schemaV3 = "0003"
const isHexadecimal = /^[0-9a-fA-F]+$/

/** Word indices in a v3 blob; all but the feed id are numbers. */
const inBlob = { feedId: 0, observedAt: 2, price: 6, bid: 7, ask: 8 } as const
const blobWords = 9

/** The signed part of a report. Amounts have 18 decimals. */
export interface SignedPrice {
  readonly feedId: string
  /** Seconds. */
  readonly observedAt: number
  readonly price: bigint
  readonly bid: bigint
  readonly ask: bigint
}

/**
 * Decodes (bytes32[3], bytes blob, …) by its fixed layout, because history has hundreds of thousands of reports. Signatures
 * are not verified: the reports come over an authenticated connection to the oracle.
 */
export const readFullReport = (fullReport: string): SignedPrice | undefined => {
  const digits = fullReport.slice(2)
  const word = (from: number) => digits.slice(from, from + wordDigits)
  const numberAt = (from: number) => Number(`0x${word(from) || "0"}`)
  const lengthAt = numberAt(offsetWord * wordDigits) * 2
  const blobAt = lengthAt + wordDigits
  if (!(blobAt + blobWords * wordDigits <= digits.length)) return undefined
  if (!(numberAt(lengthAt) >= (blobWords * wordDigits) / 2)) return undefined
  if (!isHexadecimal.test(digits.slice(blobAt, blobAt + blobWords * wordDigits))) return undefined
  const part = (name: keyof typeof inBlob) => word(blobAt + inBlob[name] * wordDigits)
  const feedId = part("feedId").toLowerCase()
  if (!feedId.startsWith(schemaV3)) return undefined
  const amount = (name: "price" | "bid" | "ask") => BigInt.asIntN(256, BigInt(`0x${part(name)}`))
  return {
    feedId: `0x${feedId}`,
    observedAt: Number(`0x${part("observedAt")}`),
    price: amount("price"),
    bid: amount("bid"),
    ask: amount("ask"),
  }
}

const decodeWire = Schema.decodeUnknownResult(WireReport)

/** Decodes the tick of a report, or returns what is wrong with it. */
export const decodeReport = (input: unknown): Result.Result<Tick, string> => {
  const wire = decodeWire(input)
  if (Result.isFailure(wire)) return Result.fail(wire.failure.message)
  const { feedID, observationsTimestamp, fullReport } = wire.success
  const signed = readFullReport(fullReport)
  if (signed === undefined) return Result.fail("not a v3 report")
  const { feedId, observedAt, price, bid, ask } = signed
  const coin = coinOfFeedId(feedId)
  if (coin === undefined || feedId !== feedID.toLowerCase()) return Result.fail(`unexpected feed ${feedId}`)
  if (observedAt !== observationsTimestamp) return Result.fail("the times of the report and its envelope differ")
  if (price <= 0n || bid <= 0n || ask <= 0n) return Result.fail("a price that is not positive")
  return Result.succeed({
    coin,
    at: observedAt * 1000,
    price: fromEighteenDecimals(price),
    bid: fromEighteenDecimals(bid),
    ask: fromEighteenDecimals(ask),
  })
}
