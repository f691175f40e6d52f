import { Schema } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type { AsOf } from "#src/ledger/asOf.ts"
import { CoverageField } from "#src/ledger/coverage/shape.ts"
import { csvOf } from "#src/platform/text/csv.ts"
import { chooseFormat, exportFormats, noSuchFormat } from "./formats.ts"

export const AsOfField = Schema.NullOr(
  Schema.Struct({
    block_number: Schema.Int,
    block_time: Schema.Int.annotate({ description: "Unix seconds" }),
    seq: Schema.Int.annotate({
      description:
        "Everything up to this entry of the event log is in the answer: continue with streams or GET /v1/events",
    }),
  }).annotate({
    identifier: "AsOf",
    description: "The state of the ledger that the answer shows; null while the ledger is empty",
  }),
)

export const shownAsOf = (asOf: AsOf | undefined): typeof AsOfField.Type =>
  asOf === undefined
    ? null
    : { block_number: asOf.block, block_time: Math.floor(asOf.at.getTime() / 1000), seq: Number(asOf.seq) }

/** Fields that every list of V3 has beside its rows. */
export const envelopeFields = {
  rows_returned: Schema.Int,
  has_more: Schema.Boolean,
  offset: Schema.Int,
  limit: Schema.Int,
  next_cursor: Schema.NullOr(Schema.String).annotate({
    description: "`cursor` of the next page, valid for 24 hours; null at the end",
  }),
  as_of: AsOfField,
  elapsed_ms: Schema.Int,
}

type Cell = string | number | boolean | null | object
export type Row = Readonly<Record<string, Cell>>

export interface ListAnswer {
  /** The key of the rows in the JSON object. */
  readonly key: string
  readonly rows: ReadonlyArray<Row>
  /** The columns of CSV. */
  readonly columns: ReadonlyArray<string>
  readonly rest: Readonly<Record<string, unknown>>
  readonly asOf: AsOf | undefined
  readonly nextCursor: string | null
  readonly now: number
}

export const ageHeaders = (asOf: AsOf | undefined, now: number): Readonly<Record<string, string>> =>
  asOf === undefined
    ? {}
    : {
        "x-data-age-ms": String(Math.max(0, Math.floor(now - asOf.at.getTime()))),
        "x-as-of-block": String(asOf.block),
      }

const headersOf = ({ asOf, nextCursor, now }: ListAnswer) => ({
  vary: "accept",
  ...ageHeaders(asOf, now),
  ...(nextCursor === null ? {} : { "x-next-cursor": nextCursor }),
})

export interface ObjectEnvelope {
  readonly asOf: AsOf | undefined
  readonly coverage: typeof CoverageField.Type
  /** When the request came, and now. */
  readonly start: number
  readonly now: number
}

/** Fields that every answer of V3 has that is an object and no list. */
export const objectFields = { as_of: AsOfField, coverage: CoverageField, elapsed_ms: Schema.Int }

export const objectResponse = (
  body: Readonly<Record<string, unknown>>,
  { asOf, coverage, start, now }: ObjectEnvelope,
) =>
  HttpServerResponse.jsonUnsafe(
    { ...body, as_of: shownAsOf(asOf), coverage, elapsed_ms: Math.max(0, Math.round(now - start)) },
    { headers: ageHeaders(asOf, now) },
  )

/** A list in the format that the client accepts. CSV and NDJSON have the rows alone; headers say how to go on. */
export const listResponse = (accept: string | undefined, answer: ListAnswer) => {
  const format = chooseFormat(accept)
  if (format === undefined) return noSuchFormat
  const headers = headersOf(answer)
  const { key, rows, columns, rest } = answer
  if (format === "json") return HttpServerResponse.jsonUnsafe({ [key]: rows, ...rest }, { headers })
  const body = format === "csv" ? csvOf(columns, rows) : rows.map((row) => `${JSON.stringify(row)}\n`).join("")
  return HttpServerResponse.text(body, { contentType: `${exportFormats[format]}; charset=utf-8`, headers })
}
