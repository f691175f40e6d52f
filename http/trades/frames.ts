import type { CoverageField } from "#src/ledger/coverage/shape.ts"
import { tradeFields } from "#src/trades/lines.ts"
import type { ExportEnd } from "#src/trades/model.ts"
import type { ExportFormat } from "../v3/formats.ts"

/** How an export is framed in a format. */
export interface Frame {
  readonly head: string
  readonly piece: (bytes: Buffer) => Buffer
  readonly tail: (end: ExportEnd) => string
}

/** Data of an export besides its trades. */
export interface ExportInfo {
  /** The first field of the answer, with the wallet or the token. */
  readonly subject: Readonly<Record<string, string>>
  readonly from: number
  readonly to: number
  readonly coverage: typeof CoverageField.Type
  readonly cache: "hit" | "miss"
  readonly tookMillis: () => number
}

const newline = 10

/** Removes the comma before each line break, in place. */
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

const unchanged = (bytes: Buffer) => bytes

const json = ({ subject, from, to, coverage, cache, tookMillis }: ExportInfo): Frame => ({
  head: `${JSON.stringify({ ...subject, from_ts: from, to_ts: to, coverage }).slice(0, -1)},"trades":[`,
  piece: unchanged,
  tail: ({ count, reason }) => {
    const fields = { count, partial: reason !== null, partial_reason: reason, fetched_in_ms: tookMillis(), cache }
    return `],${JSON.stringify(fields).slice(1)}`
  },
})

const ndjson: Frame = { head: "", piece: asLines, tail: ({ count }) => (count === 0 ? "" : "\n") }

const csv: Frame = { head: `${tradeFields.join(",")}\n`, piece: unchanged, tail: () => "" }

export const frameOf = (format: ExportFormat, info: ExportInfo): Frame => {
  if (format === "json") return json(info)
  return format === "ndjson" ? ndjson : csv
}

/** Formats without an envelope send its fields as headers, and those known only at the end as trailers. */
export const headersOf = ({ subject, from, to, coverage }: ExportInfo, hasTrailers: boolean) => ({
  ...Object.fromEntries(Object.entries(subject).map(([name, id]) => [`x-${name.replace("_", "-")}`, id])),
  "x-from-ts": String(from),
  "x-to-ts": String(to),
  ...(coverage === null
    ? {}
    : {
        "x-coverage-from-block": String(coverage.from_block),
        "x-coverage-from-time": String(coverage.from_time),
        "x-coverage-complete": String(coverage.complete),
      }),
  ...(hasTrailers ? { trailer: "x-count, x-partial, x-partial-reason, x-fetched-in-ms" } : {}),
})

export const trailersOf = ({ tookMillis }: ExportInfo, { count, reason }: ExportEnd) => ({
  "x-count": String(count),
  "x-partial": String(reason !== null),
  "x-partial-reason": reason ?? "null",
  "x-fetched-in-ms": String(tookMillis()),
})
