import type { AnswerLine } from "../model.ts"
import { Versions } from "./Versions.ts"

export type Row = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const rowsIn = (value: unknown, name: string): ReadonlyArray<Row> => {
  const rows = isRow(value) ? value[name] : undefined
  return Array.isArray(rows) ? rows.filter(isRow) : []
}

/** The catalogue writes lists as JSON in a text. */
const listIn = (value: unknown): ReadonlyArray<unknown> => {
  const list = typeof value === "string" ? parsed(value) : value
  return Array.isArray(list) ? list : []
}

/** Parameters that select rows by their keys. The same rows are asked for in other groups during a replay. */
const keysOf = {
  events: {
    id: (row: Row) => [row["id"]],
    slug: (row: Row) => [row["slug"]],
  },
  markets: {
    id: (row: Row) => [row["id"]],
    clob_token_ids: (row: Row) => listIn(row["clobTokenIds"]),
    position_ids: (row: Row) => listIn(row["positionIds"]),
    condition_ids: (row: Row) => [row["conditionId"]],
  },
} as const

type Kind = keyof typeof keysOf
type KeysOf = (row: Row) => ReadonlyArray<unknown>

const parametersOf = (kind: Kind) => Object.entries(keysOf[kind]) as ReadonlyArray<readonly [string, KeysOf]>

/** Rows of the catalogue by their keys, out of all recorded answers. */
export class CatalogueRows {
  readonly #rows = new Versions<Row>()

  constructor(lines: ReadonlyArray<AnswerLine>) {
    for (const { at, path, status, text } of lines) {
      if (status !== 200 || !/^\/(events|markets)\/keyset\b/.test(path)) continue
      const answer = parsed(text)
      for (const event of rowsIn(answer, "events")) {
        this.#add("events", at, event)
        const of = [{ id: event["id"] }]
        for (const market of rowsIn(event, "markets")) this.#add("markets", at, { ...market, events: of })
      }
      for (const market of rowsIn(answer, "markets")) this.#add("markets", at, market)
    }
  }

  #add(kind: Kind, at: number, row: Row): void {
    for (const [parameter, keys] of parametersOf(kind))
      for (const key of keys(row)) this.#rows.add(`${kind} ${parameter} ${String(key)}`, at, row)
  }

  /** The answer to a request for rows by key; undefined if it is another request. */
  answer(path: string, query: URLSearchParams, now: number): unknown {
    const kind = path === "/events/keyset" ? "events" : path === "/markets/keyset" ? "markets" : undefined
    if (kind === undefined) return undefined
    const [parameter] = parametersOf(kind).find(([name]) => query.has(name)) ?? []
    if (parameter === undefined) return undefined
    const found = query
      .getAll(parameter)
      .map((key) => this.#rows.at(`${kind} ${parameter} ${key}`, now))
      .filter((row) => row !== undefined)
    const closed = query.get("closed")
    const rows = closed === null ? found : found.filter((row) => String(row["closed"] ?? false) === closed)
    return { [kind]: [...new Set(rows)], next_cursor: null }
  }
}
