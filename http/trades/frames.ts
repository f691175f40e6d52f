import { tradeFields } from "#src/trades/lines.ts"
import type { ExportEnd } from "#src/trades/model.ts"
import type { ExportForm } from "./chooseForm.ts"

/** What goes around and into the pieces of an export that is sent. */
export interface Frame {
  readonly head: string
  readonly piece: (bytes: Buffer) => Buffer
  readonly tail: (end: ExportEnd) => string
}

/** What is known of an export besides its trades. */
export interface Asked {
  readonly wallet: string
  readonly from: number
  readonly to: number
  readonly cache: "hit" | "miss"
  readonly tookMillis: () => number
}

const newline = 10

/** Takes away the comma before each end of line, in place. */
export const asLines = (bytes: Buffer): Buffer => {
  let [from, length] = [0, 0]
  const keep = (end: number) => {
    bytes.copyWithin(length, from, end)
    length += end - from
  }
  for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, end + 1)) {
    keep(end - 1)
    from = end
  }
  keep(bytes.length)
  return bytes.subarray(0, length)
}

const asItIs = (bytes: Buffer) => bytes

const json = ({ wallet, from, to, cache, tookMillis }: Asked): Frame => ({
  head: `${JSON.stringify({ wallet, from_ts: from, to_ts: to }).slice(0, -1)},"trades":[`,
  piece: asItIs,
  tail: ({ count, reason }) => {
    const fields = { count, partial: reason !== null, partial_reason: reason, fetched_in_ms: tookMillis(), cache }
    return `],${JSON.stringify(fields).slice(1)}`
  },
})

const ndjson: Frame = { head: "", piece: asLines, tail: ({ count }) => (count === 0 ? "" : "\n") }

const csv: Frame = { head: `${tradeFields.join(",")}\n`, piece: asItIs, tail: () => "" }

export const frameOf = (form: ExportForm, asked: Asked): Frame => {
  if (form === "json") return json(asked)
  return form === "ndjson" ? ndjson : csv
}

/** What has no place in lines is told before them, or behind them where it is known last. */
export const headersOf = ({ wallet, from, to }: Asked, hasTrailers: boolean) => ({
  "x-wallet": wallet,
  "x-from-ts": String(from),
  "x-to-ts": String(to),
  ...(hasTrailers ? { trailer: "x-count, x-partial, x-partial-reason, x-fetched-in-ms" } : {}),
})

export const trailersOf = ({ tookMillis }: Asked, { count, reason }: ExportEnd) => ({
  "x-count": String(count),
  "x-partial": String(reason !== null),
  "x-partial-reason": reason ?? "null",
  "x-fetched-in-ms": String(tookMillis()),
})
