import { type Metric, Schema } from "effect"
import type { UnreadNote } from "#src/upstream/undecodable.ts"

const Numbers = Schema.Record(Schema.String, Schema.Number)

/** What one process knows of one source. */
export const Figures = Schema.Struct({
  /** Since the process began to count. */
  counts: Numbers,
  /** Of those, how many a second came lately. */
  rates: Numbers,
  /** When something last happened, in milliseconds. */
  moments: Numbers,
  /** How many there are at the moment. */
  now: Numbers,
  unread: Schema.NullOr(
    Schema.Struct({ at: Schema.Number, what: Schema.String, reason: Schema.String, sample: Schema.String }),
  ),
})
export type Figures = typeof Figures.Type

/** Sources are named by what they bring, upstreams by who is asked. */
const sourceOfUpstream: Readonly<Record<string, string>> = {
  rpc: "chain",
  gamma: "catalogue",
  clob: "books",
  datastreams: "oracle_data_streams",
  rtds: "platform_oracle",
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
}

type Labels = Readonly<Record<string, string>>
type Kind = "counts" | "moments" | "now"

interface Place {
  readonly source: string
  readonly kind: Kind
  readonly name: string
}

const fixed = (source: string, kind: Kind, name: string) => (): Place => ({ source, kind, name })
const ofSource = (name: string) => (labels: Labels) => ({
  source: labels["source"] ?? "",
  kind: "counts" as const,
  name,
})
const ofUpstream = (label: string, name: string) => (labels: Labels) => {
  const upstream = labels[label] ?? ""
  return { source: sourceOfUpstream[upstream] ?? upstream, kind: "counts" as const, name }
}

/** How many processes follow a source: one, or none. An epoch is a large number while an actor runs, and 0 after that. */
export const followers = "followers"

/** Which metrics say something about a source, and what. Those that share a place are added up. */
const places: Readonly<Record<string, (labels: Labels) => Place>> = {
  presage_ledger_facts_total: fixed("chain", "counts", "rows"),
  presage_ledger_reorgs_total: fixed("chain", "counts", "reorgs"),
  presage_settlements_seen_total: fixed("mempool", "counts", "rows"),
  presage_settlements_confirmed_total: fixed("mempool", "counts", "confirmed"),
  presage_settlements_dropped_total: fixed("mempool", "counts", "dropped"),
  presage_tick_received_total: ofSource("rows"),
  presage_tick_refilled_total: ofSource("rows"),
  presage_tick_disconnects_total: ofSource("reconnects"),
  presage_books_deltas_total: fixed("books", "counts", "rows"),
  presage_books_resyncs_total: fixed("books", "counts", "resyncs"),
  presage_catalogue_rows_total: fixed("catalogue", "counts", "rows"),
  presage_catalogue_failures_total: fixed("catalogue", "counts", "failures"),
  presage_catalogue_done_timestamp_seconds: ({ duty = "" }) => ({ source: "catalogue", kind: "moments", name: duty }),
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

const nothing = () => ({
  counts: {} as Record<string, number>,
  rates: {} as Record<string, number>,
  moments: {} as Record<string, number>,
  now: {} as Record<string, number>,
})

/** The figures of every source that this process has to do with, still without rates. */
export const figuresIn = (
  metrics: ReadonlyArray<Metric.Metric.Snapshot>,
  unread: ReadonlyMap<string, UnreadNote>,
): ReadonlyMap<string, Figures> => {
  const sources = new Map<string, ReturnType<typeof nothing>>()
  for (const metric of metrics) {
    const place = places[metric.id]?.(metric.attributes ?? {})
    if (place === undefined) continue
    const figures = sources.get(place.source) ?? nothing()
    sources.set(place.source, figures)
    const value = place.name === followers ? Math.sign(readingOf(metric)) : readingOf(metric)
    if (place.kind === "moments") figures.moments[place.name] = Math.round(value * 1000)
    else figures[place.kind][place.name] = (figures[place.kind][place.name] ?? 0) + value
  }
  const notes = new Map([...unread].map(([upstream, note]) => [sourceOfUpstream[upstream] ?? upstream, note]))
  return new Map([...sources].map(([source, figures]) => [source, { ...figures, unread: notes.get(source) ?? null }]))
}
