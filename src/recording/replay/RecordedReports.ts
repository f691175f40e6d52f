import type { AnswerLine, FrameLine } from "../model.ts"
import type { RecordedAnswer } from "./Answer.ts"

interface Report {
  readonly feedID: string
  readonly observationsTimestamp: number
}

const isReport = (value: unknown): value is Report => {
  const { feedID, observationsTimestamp } = Object(value) as Partial<Report>
  return typeof feedID === "string" && typeof observationsTimestamp === "number"
}

const reportsIn = (text: string): ReadonlyArray<unknown> => {
  try {
    const { reports, report } = Object(JSON.parse(text)) as { readonly reports?: unknown; readonly report?: unknown }
    return Array.isArray(reports) ? reports : [report]
  } catch {
    return []
  }
}

/** Reports of the oracle by feed and second, from its history and its socket. */
export class RecordedReports {
  readonly #byFeed = new Map<string, ReadonlyArray<Report>>()

  constructor(answers: ReadonlyArray<AnswerLine>, frames: ReadonlyArray<FrameLine>) {
    const seconds = new Map<string, Map<number, Report>>()
    for (const { text } of [...answers.filter(({ status }) => status === 200), ...frames])
      for (const report of reportsIn(text).filter(isReport)) {
        const feed = report.feedID.toLowerCase()
        const known = seconds.get(feed) ?? new Map<number, Report>()
        seconds.set(feed, known.set(report.observationsTimestamp, report))
      }
    for (const [feed, known] of seconds)
      this.#byFeed.set(
        feed,
        [...known.values()].toSorted((a, b) => a.observationsTimestamp - b.observationsTimestamp),
      )
  }

  /** A page of a feed's history, without what comes later than now; undefined if it is another request. */
  answer(path: string, query: URLSearchParams, now: number): RecordedAnswer | undefined {
    if (path !== "/api/v1/reports/page") return undefined
    const from = Number(query.get("startTimestamp"))
    const reports = (this.#byFeed.get((query.get("feedID") ?? "").toLowerCase()) ?? [])
      .filter(({ observationsTimestamp: at }) => at >= from && at * 1000 <= now)
      .slice(0, Number(query.get("limit") ?? 100))
    return { status: 200, text: JSON.stringify({ reports }) }
  }
}
