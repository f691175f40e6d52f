import type { Metric } from "effect"
import { measurementsFrom, sourceOfUpstream } from "#src/status/measurements.ts"

type Snapshots = ReadonlyArray<Metric.Metric.Snapshot>
type Labels = Readonly<Record<string, string>>
type Figures = Record<string, number>

const readingOf = (metric: Metric.Metric.Snapshot): number => {
  if (metric.type === "Counter") return Number(metric.state.count)
  return metric.type === "Gauge" ? Number(metric.state.value) : 0
}

const kindOfRun: Readonly<Record<string, string>> = {
  done: "done",
  retried: "retried",
  failed: "failed",
  parked: "failed",
  defect: "failed",
}

/** The names under which the counters of a metric are added up. */
const totals: Readonly<Record<string, (labels: Labels) => ReadonlyArray<string>>> = {
  presage_http_requests_total: ({ status = "" }) => [
    "http",
    ...(status === "429" ? ["http.429"] : []),
    ...(status.startsWith("5") ? ["http.5xx"] : []),
  ],
  presage_limits_refused_total: () => ["limits.refused"],
  presage_jobs_total: ({ queue = "", outcome = "" }) => {
    const kind = kindOfRun[outcome]
    return kind === undefined ? [] : [`jobs.${queue}.${kind}`]
  },
  presage_webhooks_attempts_total: ({ outcome }) => [outcome === "success" ? "webhooks.success" : "webhooks.failure"],
}

const add = (figures: Figures, name: string, value: number) => {
  figures[name] = (figures[name] ?? 0) + value
}

/** Totals of a process since it started. */
export const totalsFrom = (metrics: Snapshots): Readonly<Figures> => {
  const figures: Figures = {}
  for (const metric of metrics) {
    for (const name of totals[metric.id]?.(metric.attributes ?? {}) ?? []) add(figures, name, readingOf(metric))
  }
  for (const [source, { counts }] of measurementsFrom(metrics, new Map())) {
    if (counts["rows"] !== undefined) add(figures, `rows.${source}`, counts["rows"])
  }
  return figures
}

/** The growth of totals, without zeros. */
export const growth = (before: Readonly<Figures>, after: Readonly<Figures>): Readonly<Figures> =>
  Object.fromEntries(
    Object.entries(after).flatMap(([name, total]) => {
      const grown = total - (before[name] ?? 0)
      return grown > 0 ? [[name, grown]] : []
    }),
  )

const ofUpstream = (upstream: string) => sourceOfUpstream[upstream] ?? upstream

/** The source and kind of what went wrong; undefined if nothing did. */
const errors: Readonly<Record<string, (labels: Labels) => readonly [source: string, kind: string] | undefined>> = {
  presage_upstream_requests_total: ({ upstream = "", outcome = "" }) =>
    outcome === "ok" ? undefined : [ofUpstream(upstream), `request ${outcome}`],
  presage_upstream_reconnects_total: ({ upstream = "" }) => [ofUpstream(upstream), "reconnect"],
  presage_upstream_undecodable_total: ({ source = "", reason = "" }) => [ofUpstream(source), `undecodable: ${reason}`],
  presage_tick_disconnects_total: ({ source = "" }) => [source, "reconnect"],
  presage_catalogue_failures_total: () => ["catalogue", "failed read"],
  presage_books_resyncs_total: () => ["books", "resync"],
  presage_books_unknown_messages_total: () => ["books", "unknown message"],
  presage_chain_stalls_total: () => ["chain", "stall"],
  presage_chain_wrong_times_total: () => ["chain", "wrong time"],
  presage_ledger_unexplained_logs_total: () => ["chain", "unexplained log"],
}

/** Errors of sources since the process started, by source and kind. */
export const errorsFrom = (metrics: Snapshots): Readonly<Record<string, Readonly<Figures>>> => {
  const found: Record<string, Figures> = {}
  for (const metric of metrics) {
    const error = errors[metric.id]?.(metric.attributes ?? {})
    const value = readingOf(metric)
    if (error === undefined || value === 0) continue
    const [source, kind] = error
    found[source] ??= {}
    add(found[source], kind, value)
  }
  return found
}

/** The values of a metric by one of its labels; zeros are left out. */
export const byLabel = (metrics: Snapshots, id: string, label: string): Readonly<Figures> =>
  Object.fromEntries(
    metrics.flatMap((metric) => {
      const value = metric.id === id ? readingOf(metric) : 0
      return value === 0 ? [] : [[metric.attributes?.[label] ?? "", value]]
    }),
  )

export const valueIn = (metrics: Snapshots, id: string): number => {
  const found = metrics.find((metric) => metric.id === id)
  return found === undefined ? 0 : readingOf(found)
}
