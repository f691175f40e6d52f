import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { loggedKinds } from "#src/ledger/events.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"

interface PublishedFact {
  readonly kind: string
  readonly block: number
  readonly logIndex: number
  /** Index within the log. */
  readonly sub: number
}

const kinds: ReadonlyArray<string> = loggedKinds

/** The facts that a subscriber has after all events and retractions, and how many there were of these. */
export const foldEvents = Effect.gen(function* () {
  const log = yield* EventLog
  const known = new Map<bigint, PublishedFact>()
  let [reorgs, retractions] = [0, 0]
  for (let after = 0n; ; ) {
    const page = yield* log.read({ after, limit: 5_000, kinds: ["reorg", "block", "approval", ...kinds] })
    if (page.length === 0) {
      return { published: [...known.values()].filter(({ kind }) => kinds.includes(kind)), reorgs, retractions }
    }
    for (const { seq, kind, ref, sub, data } of page) {
      if (kind === "reorg") {
        const { retracted } = data as { readonly retracted: ReadonlyArray<number> }
        for (const gone of retracted) assert.isTrue(known.delete(BigInt(gone)), `event ${gone} was retracted twice`)
        reorgs += 1
        retractions += retracted.length
      } else {
        const { sub: index = 0 } = (data ?? {}) as { readonly sub?: number }
        known.set(seq, { kind, block: Number(ref), logIndex: Number(sub), sub: index })
      }
      after = seq
    }
  }
})

const lineOf = ({ kind, block, logIndex, sub }: PublishedFact) => `${block} ${logIndex} ${sub} ${kind}`

const hasSub = (kind: string) => kind === "transfer" || kind === "resolution"

/** The folded log has every fact of the ledger once, in chain order, and nothing else. */
export const assertEveryFactPublished = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const folded = yield* foldEvents
  const facts: Array<PublishedFact> = []
  for (const kind of kinds) {
    const rows = yield* sql<{ block: number; log_index: number; sub: number }>`
      select block, log_index, ${sql.literal(hasSub(kind) ? "sub" : "0 as sub")} from ${sql(kind)}`
    for (const { block, log_index, sub } of rows) facts.push({ kind, block, logIndex: log_index, sub })
  }
  const outOfOrder = folded.published.findIndex(({ block, logIndex }, i) => {
    const before = folded.published[i - 1]
    return before !== undefined && (before.block > block || (before.block === block && before.logIndex > logIndex))
  })
  assert.strictEqual(outOfOrder, -1, `${JSON.stringify(folded.published[outOfOrder])} was published too late`)
  assert.deepStrictEqual(folded.published.map(lineOf).toSorted(), facts.map(lineOf).toSorted())
  return { ...folded, facts: facts.length }
})
