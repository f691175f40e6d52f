import { Effect } from "effect"
import { transactionSql } from "#src/dictionary/factSql.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { assertEveryFactPublished } from "#test/ledger/support/folded.ts"
import type { Venue } from "./venue.ts"

/**
 * The trades that webhooks report, by transaction and order: their place changes with a reorganisation. Each transaction has
 * the taker's own order too, which is none of them.
 */
export const canonicalFills = (from: number) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const rows = yield* sql<{ id: string }>`
      select '0x' || encode(${sql.literal(transactionSql("f"))}, 'hex') || ' 0x' || encode(f.order_hash, 'hex') as id
      from fill f where f.block >= ${from} and f.taker <> 0`
    return rows.map(({ id }) => id)
  })

/** Block and log index of every fill that was ever published, also of those that were retracted. */
export const everPublished = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ place: string }>`
    select ref || ' ' || sub as place from event_log where kind = 'fill'`
  return new Set(rows.map(({ place }) => place))
})

export const cursorBlock = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ block: number; hash: string }>`
    select block, '0x' || encode(hash, 'hex') as hash from chain_cursor`
  return row ?? { block: 0, hash: "" }
})

/** Whether the ledger has the venue's newest block. */
export const isAtHead = (venue: Venue) =>
  Effect.gen(function* () {
    const [{ head }, { block, hash }] = [yield* venue.state, yield* cursorBlock]
    return block === head && hash === (yield* venue.hashOf(head))
  })

/** What the assertion says, or the number of facts. */
const publication = assertEveryFactPublished.pipe(
  Effect.map(({ facts }) => ({ facts, problem: "" })),
  Effect.catchDefect((defect) => Effect.succeed({ facts: 0, problem: `event log: ${String(defect).slice(0, 500)}` })),
)

/** The ledger of a world that stands still, against the venue's books and its own event log. */
export const judgeLedger = (venue: Venue) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const { block } = yield* cursorBlock
    const [row] = yield* sql<{ fills: number; distinct: number }>`
      select count(*)::int as fills, count(distinct (block, log_index))::int as distinct from fill`
    const { fills, distinct } = row ?? { fills: 0, distinct: 0 }
    const should = yield* venue.fillsUpTo(block)
    const checks = yield* verifyLedger
    const { problem } = yield* publication
    return {
      lost: Math.max(0, should - distinct),
      twice: fills - distinct,
      wrong: [
        ...checks.flatMap(({ check, ok, detail }) => (ok ? [] : [`verify ${check}: ${detail}`])),
        ...(problem === "" ? [] : [problem]),
        ...(distinct > should ? [`ledger: ${distinct - should} fills that the venue does not know`] : []),
      ],
    }
  })
