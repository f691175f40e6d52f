import type { AnswerLine, AnswerSource, FrameLine } from "../model.ts"
import type { Recording } from "../RecordingReader.ts"
import type { RecordedAnswer } from "./Answer.ts"
import { CatalogueRows } from "./catalogueRows.ts"
import { RecordedBooks } from "./RecordedBooks.ts"
import { RecordedReports } from "./RecordedReports.ts"
import { Versions } from "./Versions.ts"

/** Parameters with the time of the request, which differs between a recording and its replay. */
const ofTheMoment = ["end_date_min", "startTs", "endTs"]

const keyOf = (path: string, query: URLSearchParams, body: unknown): string => {
  const rest = [...query].filter(([name]) => !ofTheMoment.includes(name))
  return `${path}?${new URLSearchParams(rest)} ${body === undefined ? "" : JSON.stringify(body)}`
}

/** A list of the catalogue that was not asked for during the recording is empty, because a failure would be asked for again. */
const emptyLists: Readonly<Record<string, unknown>> = {
  "/events/keyset": { events: [], next_cursor: null },
  "/markets/keyset": { markets: [], next_cursor: null },
  "/series": [],
  "/tags": [],
  "/teams": [],
  "/sports": [],
}

const json = (value: unknown): RecordedAnswer => ({ status: 200, text: JSON.stringify(value) })

const split = (target: string) => {
  const { pathname, searchParams } = new URL(target, "http://recording")
  return { path: pathname, query: searchParams }
}

/** Answers of the upstreams over HTTP at each moment of a recording. */
export class Answers {
  readonly #exact = new Versions<RecordedAnswer>()
  readonly #rows: CatalogueRows
  readonly #books: RecordedBooks
  readonly #reports: RecordedReports
  readonly #now: () => number

  constructor({ answers, frames }: Pick<Recording, "answers" | "frames">, now: () => number) {
    this.#now = now
    const of = (source: AnswerSource): ReadonlyArray<AnswerLine> => answers.get(source) ?? []
    const framesOf = (source: "clob-socket" | "datastreams-socket"): ReadonlyArray<FrameLine> =>
      frames.get(source) ?? []
    for (const [source, lines] of answers)
      for (const { at, path: target, body, status, text } of lines) {
        const { path, query } = split(target)
        this.#exact.add(`${source} ${keyOf(path, query, body)}`, at, { status, text })
      }
    this.#rows = new CatalogueRows(of("gamma"))
    this.#books = new RecordedBooks(of("clob"), framesOf("clob-socket"))
    this.#reports = new RecordedReports(of("datastreams"), framesOf("datastreams-socket"))
  }

  of(source: AnswerSource, target: string, body: unknown): RecordedAnswer {
    const { path, query } = split(target)
    const special = this.#special(source, path, query, body)
    if (special !== undefined) return special
    const exact = this.#exact.at(`${source} ${keyOf(path, query, body)}`, this.#now())
    if (exact !== undefined) return exact
    const empty = source === "gamma" ? emptyLists[path] : undefined
    if (empty !== undefined) return json(empty)
    return { status: 404, text: JSON.stringify({ error: "not in the recording" }) }
  }

  #special(source: AnswerSource, path: string, query: URLSearchParams, body: unknown): RecordedAnswer | undefined {
    const now = this.#now()
    if (source === "gamma") {
      const rows = this.#rows.answer(path, query, now)
      return rows === undefined ? undefined : json(rows)
    }
    if (source === "clob") return this.#books.answer(path, query, body, now)
    if (source === "datastreams") return this.#reports.answer(path, query, now)
    return undefined
  }
}
