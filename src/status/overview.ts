import { Effect, Schema } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { SourcesReport } from "./model.ts"

const about = (description: string) => Schema.Number.annotate({ description })

/** Key numbers of the service and all its sources. */
export const Overview = Schema.Struct({
  node_connected: Schema.Boolean.annotate({ description: "Whether the chain is being followed" }),
  uptime_seconds: about("Of the process that responds"),
  stream_length: about("Events that Redis keeps for live fan-out and replay"),
  events_stream_length: about("Same as stream_length: one stream carries all events"),
  pending_txs: about("Settlements that are not in a block yet"),
  ws_subscribers: Schema.Number,
  firehose_connections: Schema.Number,
  redis_memory: about("Bytes used by Redis"),
  state: Schema.Struct({
    market_count: about("Approximate number of markets in the catalogue"),
    wallet_count: about("Approximate number of wallets in the ledger"),
    metadata_count: about("Approximate number of tokens"),
    events_buffered: about("Approximate number of events in the event log"),
    events_processed: about("Sequence number of the newest event"),
    latest_block: Schema.NullOr(Schema.Number),
  }),
  ...SourcesReport.fields,
}).annotate({ identifier: "StatusOverview" })
export type Overview = typeof Overview.Type

/** Uses the row estimates of Postgres, because exact counts of large tables are slow. */
export const readTotals = Effect.gen(function* () {
  const { reads } = yield* Postgres
  const redis = yield* Redis
  const { events } = keys(redis.prefix)

  const rows = reads<{
    markets: bigint
    wallets: bigint
    tokens: bigint
    buffered: bigint | null
    seq: bigint | null
    block: number | null
    pending: number
  }>`
    select pg_stat_get_live_tuples('market'::regclass) as markets,
      pg_stat_get_live_tuples('wallet'::regclass) as wallets,
      pg_stat_get_live_tuples('token'::regclass) as tokens,
      (select sum(pg_stat_get_live_tuples(inhrelid))::bigint from pg_inherits
        where inhparent = 'event_log'::regclass) as buffered,
      (select max(seq) from event_log) as seq,
      (select max(block) from chain_cursor) as block,
      (select count(*)::int from settlement where status = 0) as pending`
  const inRedis = redis.run(async (client) => {
    const [length, memory] = await Promise.all([client.xlen(events), client.info("memory")])
    return { length, memory: Number(/^used_memory:(\d+)/m.exec(memory)?.[1] ?? 0) }
  })
  return Effect.map(Effect.all([rows, inRedis], { concurrency: "unbounded" }), ([[row], tail]) => ({ row, tail }))
})

type Totals = Effect.Success<Effect.Success<typeof readTotals>>

export const overviewOf = (
  { sources, circuits_open }: SourcesReport,
  { row, tail }: Totals,
  gateways: Readonly<Record<string, number>>,
): Omit<Overview, keyof SourcesReport> => {
  const chain = sources.find(({ source }) => source === "chain")
  const isFollowed = chain?.state === "ok" || chain?.state === "late"
  return {
    node_connected: isFollowed && !circuits_open.includes("rpc"),
    uptime_seconds: Math.floor(process.uptime()),
    stream_length: tail.length,
    events_stream_length: tail.length,
    pending_txs: row?.pending ?? 0,
    ws_subscribers: gateways["subscribers"] ?? 0,
    firehose_connections: gateways["firehose"] ?? 0,
    redis_memory: tail.memory,
    state: {
      market_count: Number(row?.markets ?? 0n),
      wallet_count: Number(row?.wallets ?? 0n),
      metadata_count: Number(row?.tokens ?? 0n),
      events_buffered: Number(row?.buffered ?? 0n),
      events_processed: Number(row?.seq ?? 0n),
      latest_block: row?.block ?? null,
    },
  }
}
