import { Effect } from "effect"
import type { Postgres } from "#src/platform/Postgres.ts"
import type { PollerName } from "../contracts.ts"

/** How far a poller has read. */
export interface PollerCursor {
  /** Entries of the log up to this one are done with. */
  readonly seq: bigint
  /** The highest block that was believed so far. */
  readonly block: number
}

export const cursorStore = ({ sql, reads }: Postgres["Service"], poller: PollerName) => {
  const read = reads<PollerCursor>`select seq, block from webhook_cursor where poller = ${poller}`
  return {
    /** A poller that has never run begins with what comes next. */
    load: Effect.fnUntraced(function* (head: bigint, now: number) {
      const [there] = yield* read
      if (there !== undefined) return there
      yield* sql`
        insert into webhook_cursor (poller, seq, block, moved_at)
        values (${poller}, ${head}, 0, ${new Date(now)}) on conflict do nothing`
      const [begun] = yield* read
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
