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

/** For example `12 fill (blocks 5 to 9)` for each kind, so that a difference of thousands can be read. */
const summarise = (facts: ReadonlyArray<PublishedFact>): string =>
  [...Map.groupBy(facts, ({ kind }) => kind)]
    .map(([kind, all]) => {
      const blocks = all.map(({ block }) => block).toSorted((a, b) => a - b)
      return `${all.length} ${kind} (blocks ${blocks[0]} to ${blocks.at(-1)})`
    })
    .join(", ")

/** Those of the first that the second lacks. */
const without = (all: ReadonlyArray<PublishedFact>, others: ReadonlyArray<PublishedFact>) => {
  const known = new Set(others.map(lineOf))
  return all.filter((fact) => !known.has(lineOf(fact)))
}

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
  const [unpublished, unknown] = [without(facts, folded.published), without(folded.published, facts)]
  // An assertion would shorten what it compares.
  if (unpublished.length + unknown.length > 0)
    throw new Error(`facts without event: ${summarise(unpublished)}; events without fact: ${summarise(unknown)}`)
  assert.deepStrictEqual(folded.published.map(lineOf).toSorted(), facts.map(lineOf).toSorted())
  return { ...folded, facts: facts.length }
})
