import { type Metric, Schema } from "effect"
import type { UndecodableSample } from "#src/upstream/undecodable.ts"

const Numbers = Schema.Record(Schema.String, Schema.Number)

/** What one process has measured about one source. */
export const Measurements = Schema.Struct({
  /** Totals since the process started. */
  counts: Numbers,
  /** Recent growth of the totals per second. */
  rates: Numbers,
  /** Times of the last occurrence, in milliseconds. */
  moments: Numbers,
  /** Current amounts. */
  now: Numbers,
  unread: Schema.NullOr(
    Schema.Struct({ at: Schema.Number, what: Schema.String, reason: Schema.String, sample: Schema.String }),
  ),
}).annotate({ identifier: "StatusMeasurements" })
export type Measurements = typeof Measurements.Type

/** Sources are named by their data, upstreams by their service. */
export const sourceOfUpstream: Readonly<Record<string, string>> = {
  rpc: "chain",
  gamma: "catalogue",
  clob: "books",
  datastreams: "oracle_data_streams",
  rtds: "platform_oracle",
  polybolt: "platform_oracle",
  sports: "sports",
}

const sourceOfActor: Readonly<Record<string, string>> = {
  "chain-follower": "chain",
  "pending-settlements": "mempool",
  "catalogue-follower": "catalogue",
  "sports-feed": "sports",
  "order-books-director": "books",
  "event-log-relay": "event_log",
  "oracle-feed/oracle_data_streams": "oracle_data_streams",
  "oracle-feed/platform_oracle": "platform_oracle",
  "oracle-feed/platform_twap60": "platform_twap60",
}

type Labels = Readonly<Record<string, string>>
type Kind = "counts" | "moments" | "now"

interface Measurement {
  readonly source: string
  readonly kind: Kind
  readonly name: string
}

const fixed = (source: string, kind: Kind, name: string) => (): Measurement => ({ source, kind, name })
const ofSource = (name: string) => (labels: Labels) => ({
  source: labels["source"] ?? "",
  kind: "counts" as const,
  name,
})
const ofUpstream = (label: string, name: string) => (labels: Labels) => {
  const upstream = labels[label] ?? ""
  return { source: sourceOfUpstream[upstream] ?? upstream, kind: "counts" as const, name }
}

/** Number of processes that follow a source: one or none. The epoch of an actor is positive while it runs, and 0 after. */
export const followers = "followers"

/** The measurement that each metric belongs to. Metrics of the same measurement are added up. */
const measurements: Readonly<Record<string, (labels: Labels) => Measurement>> = {
  presage_ledger_facts_total: fixed("chain", "counts", "rows"),
  presage_ledger_reorgs_total: fixed("chain", "counts", "reorgs"),
  presage_settlements_seen_total: fixed("mempool", "counts", "rows"),
  presage_settlements_confirmed_total: fixed("mempool", "counts", "confirmed"),
  presage_settlements_dropped_total: fixed("mempool", "counts", "dropped"),
  presage_chain_finalized_block: fixed("chain", "now", "finalized"),
  presage_chain_pending_source: ({ source = "" }) => ({ source: "mempool", kind: "now", name: source }),
  presage_tick_received_total: ofSource("rows"),
  presage_tick_refilled_total: ofSource("rows"),
  presage_tick_disconnects_total: ofSource("reconnects"),
  presage_books_deltas_total: fixed("books", "counts", "rows"),
  presage_books_resyncs_total: fixed("books", "counts", "resyncs"),
  presage_catalogue_rows_total: fixed("catalogue", "counts", "rows"),
  presage_catalogue_failures_total: fixed("catalogue", "counts", "failures"),
  presage_catalogue_done_timestamp_seconds: ({ duty = "" }) => ({ source: "catalogue", kind: "moments", name: duty }),
  presage_catalogue_list_failed: ({ list = "" }) => ({ source: "catalogue", kind: "now", name: `failed ${list}` }),
  presage_catalogue_list_end_offset: ({ list = "" }) => ({ source: "catalogue", kind: "now", name: `end of ${list}` }),
  presage_sports_scores_total: fixed("sports", "counts", "rows"),
  presage_sports_heard_timestamp_seconds: fixed("sports", "moments", "heard"),
  presage_event_log_relayed_total: fixed("event_log", "counts", "rows"),
  presage_actor_epoch: ({ actor = "" }) => ({ source: sourceOfActor[actor] ?? actor, kind: "now", name: followers }),
  presage_upstream_reconnects_total: ofUpstream("upstream", "reconnects"),
  presage_upstream_undecodable_total: ofUpstream("source", "undecodable"),
  presage_upstream_circuit_open: ({ upstream = "" }) => ({ source: "upstreams", kind: "now", name: upstream }),
  presage_ws_subscribers: fixed("gateway", "now", "subscribers"),
  presage_ws_firehose_connections: fixed("gateway", "now", "firehose"),
}

const readingOf = (metric: Metric.Metric.Snapshot): number => {
  if (metric.type === "Counter") return Number(metric.state.count)
  return metric.type === "Gauge" ? Number(metric.state.value) : 0
}

const empty = () => ({
  counts: {} as Record<string, number>,
  rates: {} as Record<string, number>,
  moments: {} as Record<string, number>,
  now: {} as Record<string, number>,
})

/** The measurements of this process by source, without rates. */
export const measurementsFrom = (
  metrics: ReadonlyArray<Metric.Metric.Snapshot>,
  unread: ReadonlyMap<string, UndecodableSample>,
): ReadonlyMap<string, Measurements> => {
  const sources = new Map<string, ReturnType<typeof empty>>()
  for (const metric of metrics) {
    const measurement = measurements[metric.id]?.(metric.attributes ?? {})
    if (measurement === undefined) continue
    const { source, kind, name } = measurement
    const totals = sources.get(source) ?? empty()
    sources.set(source, totals)
    const value = name === followers ? Math.sign(readingOf(metric)) : readingOf(metric)
    if (kind === "moments") totals.moments[name] = Math.round(value * 1000)
    else totals[kind][name] = (totals[kind][name] ?? 0) + value
  }
  const notes = new Map([...unread].map(([upstream, note]) => [sourceOfUpstream[upstream] ?? upstream, note]))
  return new Map([...sources].map(([source, totals]) => [source, { ...totals, unread: notes.get(source) ?? null }]))
}

/** Long enough for a steady rate of a bursty source, short enough to show a stop. */
const rateWindowMillis = 30_000

interface Sample {
  readonly at: number
  readonly value: number
}

/** Computes the recent growth of totals. */
export class RateTracker {
  readonly #samples = new Map<string, Array<Sample>>()

  /** Records the current total and returns its growth per second. `at` is from a monotonic clock. */
  perSecond(name: string, value: number, at: number): number {
    const samples = this.#samples.get(name) ?? []
    this.#samples.set(name, samples)
    samples.push({ at, value })
    // Keeps one sample older than the window, so that the window is always covered.
    while (samples[1] !== undefined && samples[1].at <= at - rateWindowMillis) samples.shift()
    const [first] = samples
    if (first === undefined || at <= first.at) return 0
    return Math.max(0, (1000 * (value - first.value)) / (at - first.at))
  }
}
