import { assert, describe, it } from "@effect/vitest"
import { retractedBy } from "#src/feed/ForkStore.ts"
import { Dice } from "#src/simulator/random.ts"

describe("retractedBy", () => {
  it("retracts earlier entries of blocks after the fork, and nothing else", () => {
    const dice = new Dice(7)
    for (let round = 0; round < 200; round++) {
      const seqs = Array.from({ length: dice.between(0, 8) }, () => dice.between(1, 100))
      const forks = [...new Set(seqs)]
        .toSorted((a, b) => a - b)
        .map((seq) => ({ seq: BigInt(seq), fork: BigInt(dice.between(1, 50)) }))
      const isRetracted = retractedBy(forks)
      const entries = Array.from(
        { length: 200 },
        () => [BigInt(dice.between(0, 101)), BigInt(dice.between(0, 51))] as const,
      )
      assert.deepStrictEqual(
        entries.map(([seq, block]) => isRetracted(seq, block)),
        entries.map(([seq, block]) => forks.some((each) => each.seq > seq && each.fork < block)),
      )
    }
  })
})
