import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readPending } from "#src/upstream/chain/pendingMatch.ts"
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

  it.each(matches.map((each) => [each.id, each] as const))("have the order hashes and makers of the fills: %s", (_, {
    transaction,
    match,
  }) => {
    const filled = transaction.logs.flatMap(({ topics: [kind, order, maker] }) =>
      kind === topic.orderFilled2 ? [`${order?.slice(2)} of ${maker?.slice(26)}`] : [],
    )
    const pending = [match.taker, ...match.makers].map(({ orderHash, maker }) => `${orderHash} of ${maker}`)
    assert.deepStrictEqual(pending.toSorted(), filled.toSorted())
  })
})
