import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type PendingFill, readPending } from "#src/upstream/chain/pendingMatch.ts"
import { topic } from "#src/upstream/chain/topics.ts"
import { scenarios } from "#test/explain/scenarios.ts"

const matches = scenarios
  .flatMap(({ id, transactions }) => transactions.map((transaction) => ({ id, transaction })))
  .flatMap(({ id, transaction }) => {
    const match = Result.getOrThrow(readPending(transaction))
    return match === undefined ? [] : [{ id, transaction, match }]
  })

describe("Pending matches of the real contracts", () => {
  it("are read for every exchange with orders of the second generation or later", () => {
    const generations = Map.groupBy(matches, ({ match }) => match.generation)
    assert.strictEqual(generations.get(2)?.length, 33)
    assert.strictEqual(generations.get(3)?.length, 8)
  })

  it.each(
    matches.map((each) => [each.id, each] as const),
  )("have the order hashes, makers and tokens of the fills: %s", (_, { transaction, match }) => {
    const fills = transaction.logs.flatMap(({ topics }) =>
      topics[0] === topic.orderFilled2 ? [{ orderHash: topics[1]?.slice(2), maker: topics[2]?.slice(26) }] : [],
    )
    const pending = [match.taker, ...match.makers].map(({ orderHash, maker }: PendingFill) => ({ orderHash, maker }))
    const byHash = (a: { orderHash?: string | undefined }, b: { orderHash?: string | undefined }) =>
      String(a.orderHash).localeCompare(String(b.orderHash))
    assert.deepStrictEqual(pending.toSorted(byHash), fills.toSorted(byHash))
  })
})
