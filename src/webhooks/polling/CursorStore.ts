import { Effect } from "effect"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { type PollerName, pollers } from "../contracts.ts"
import { holdRevision } from "../subscriptions/revision.ts"

/** How far a poller has read. */
export interface PollerCursor {
  /** Entries of the log up to this one are done with. */
  readonly seq: bigint
  /** The highest block that was believed so far. */
  readonly block: number
}

export const cursorStore = ({ sql, reads, tx }: Postgres["Service"], poller: PollerName) => {
  const read = (client: typeof reads) =>
    client<PollerCursor>`select seq, block from webhook_cursor where poller = ${poller}`

  const begin = Effect.fnUntraced(function* (head: bigint, now: number) {
    // So that no webhook is being made that would begin before it.
    yield* holdRevision(sql)
    yield* sql`
      insert into webhook_cursor (poller, seq, block, moved_at)
      select ${poller}, least(${head}::bigint, min(since_seq)), 0, ${new Date(now)}::timestamptz from webhook
      where ${pollers[poller].type} = any(event_types)
      on conflict do nothing`
    return yield* read(sql)
  }, tx)

  return {
    /** A poller that has never run begins where the first of its webhooks does, or with what comes next. */
    load: Effect.fnUntraced(function* (head: bigint, now: number) {
      const [there] = yield* read(reads)
      if (there !== undefined) return there
      const [begun] = yield* begin(head, now)
      return begun ?? { seq: head, block: 0 }
    }),

    /** False where somebody else has moved it meanwhile. */
    move: (from: PollerCursor, to: PollerCursor, now: number) =>
      Effect.map(
        sql`
          update webhook_cursor set seq = ${to.seq}, block = ${to.block}, moved_at = ${new Date(now)}
          where poller = ${poller} and seq = ${from.seq} and block = ${from.block} returning 1`,
        (moved) => moved.length > 0,
      ),
  }
}
