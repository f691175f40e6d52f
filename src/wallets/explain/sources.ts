import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { shares } from "#src/domain/amounts.ts"
import type { PositionFact } from "#src/domain/Fact.ts"
import { storedIds } from "#src/ledger/idLookup.ts"
import { applyFact } from "#src/ledger/positions/applyFacts.ts"
import type { Position } from "#src/ledger/positions/model.ts"
import { PositionBook } from "#src/ledger/positions/PositionBook.ts"
import { readBeginnings, readFactsOf } from "./FactsOfPositions.ts"
import { type Pair, type Place, TooManyFacts } from "./model.ts"

/** Facts of other positions that one answer reads at most. */
export const mostSourceFacts = 100_000

type Fact = PositionFact<number>

const keyOf = ({ wallet, token }: Pair) => `${wallet} ${token}`

/** The other positions whose cost a fact moves to one of these. */
export const sourcesOf = (fact: Fact, isOwn: (pair: Pair) => boolean): ReadonlyArray<Pair> => {
  if (fact.kind === "transfer") {
    const { sender, receiver, token } = fact
    return sender !== receiver && isOwn({ wallet: receiver, token }) ? [{ wallet: sender, token }] : []
  }
  if (fact.kind !== "conversion") return []
  const { wallet, nos, yeses } = fact
  return yeses.some((token) => isOwn({ wallet, token })) ? nos.map((token) => ({ wallet, token })) : []
}

/** All facts that the cost of these positions follows from, up to a place. */
const readClosure = Effect.fnUntraced(function* (
  sql: SqlClient,
  first: ReadonlyArray<Pair>,
  from: Place,
  until: Place,
) {
  const pairs = new Map(first.map((pair) => [keyOf(pair), pair]))
  for (;;) {
    const known = pairs.size
    const { facts, tokensOf } = yield* readFactsOf(sql, [...pairs.values()], {
      from,
      until,
      limit: mostSourceFacts + 1,
    })
    if (facts.length > mostSourceFacts) return yield* new TooManyFacts({ most: mostSourceFacts })
    for (const fact of facts) {
      for (const source of sourcesOf(fact, (pair) => pairs.has(keyOf(pair)))) pairs.set(keyOf(source), source)
    }
    if (pairs.size === known) return { pairs: [...pairs.values()], facts, tokensOf }
  }
})

/**
 * For each of some facts that move cost to a position, the positions that the cost comes from as they were before it.
 * `incoming` are all such facts of a range of logs, in chain order; `from` is the first log that positions count.
 */
export const readSources = Effect.fnUntraced(function* (
  sql: SqlClient,
  incoming: ReadonlyArray<Fact>,
  from: Place,
  isOwn: (pair: Pair) => boolean,
) {
  const [first, last] = [incoming[0], incoming.at(-1)]
  const before = new Map<Fact, ReadonlyArray<Position>>()
  if (first === undefined || last === undefined) return before
  const wanted = incoming.flatMap((fact) => sourcesOf(fact, isOwn))
  const { pairs, facts, tokensOf } = yield* readClosure(sql, wanted, from, last)
  const { base, openings } = yield* readBeginnings(sql, pairs)
  const book = new PositionBook()
  for (const position of base) book.add(position)
  for (const { wallet, token, shares: held } of openings) book.open(wallet, token, held ?? shares(0))
  const isInRange = ({ block, logIndex }: Fact) =>
    block > first.block || (block === first.block && logIndex >= first.logIndex)
  let next = 0
  for (const fact of facts) {
    const sources = isInRange(fact) ? sourcesOf(fact, isOwn) : []
    const own = incoming[next]
    if (sources.length > 0 && own !== undefined) {
      const held = sources.flatMap(({ wallet, token }) => book.get(wallet, token) ?? [])
      before.set(
        own,
        held.map((position) => ({ ...position })),
      )
      next += 1
    }
    applyFact(book, fact, storedIds, tokensOf)
  }
  return before
})
