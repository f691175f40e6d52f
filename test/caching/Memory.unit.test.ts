import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { Answer } from "#src/caching/Answer.ts"
import { Memory } from "#src/caching/Memory.ts"
import { eventually } from "#test/support/eventually.ts"

const times = { storedAt: 0, freshUntil: 60_000, staleUntil: 60_000, dataAt: undefined, isBounded: false }
const answerOf = (bytes: number, life = times) => new Answer(Buffer.alloc(bytes, "x"), life)
const overhead = answerOf(0).size

const steps = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant("put" as const), id: fc.nat(7), bytes: fc.nat(400) }),
    fc.record({ act: fc.constant("get" as const), id: fc.nat(7), bytes: fc.constant(0) }),
    fc.record({ act: fc.constant("grow" as const), id: fc.nat(7), bytes: fc.nat(400) }),
  ),
  { maxLength: 60 },
)

/** Plain model: a list from least to most recently used. */
class Reference {
  kept: Array<{ readonly id: string; readonly size: number }> = []
  readonly most: number
  constructor(most: number) {
    this.most = most
  }
  get(id: string) {
    const found = this.kept.find((each) => each.id === id)
    if (found !== undefined) this.kept = [...this.kept.filter((each) => each.id !== id), found]
    return found
  }
  put(id: string, size: number) {
    const others = this.kept.filter((each) => each.id !== id)
    this.kept = size > this.most ? others : [...others, { id, size }]
    this.shrink()
  }
  grow(id: string, bytes: number) {
    const found = this.get(id)
    if (found !== undefined) this.put(id, found.size + bytes)
  }
  get bytes() {
    return this.kept.reduce((sum, { size }) => sum + size, 0)
  }
  shrink() {
    while (this.bytes > this.most) this.kept.shift()
  }
}

describe("Memory", () => {
  it("stays within its bytes including compressed variants, and evicts the least recently used", () =>
    fc.assert(
      fc.asyncProperty(steps, async (trace) => {
        const most = 3 * overhead + 500
        const memory = new Memory(most)
        const reference = new Reference(most)
        const answers = new Map<string, Answer>()
        for (const [n, { act, id: number, bytes }] of trace.entries()) {
          const id = String(number)
          if (act === "put") {
            const answer = answerOf(bytes)
            answers.set(id, answer)
            memory.put(id, answer)
            reference.put(id, answer.size)
          } else if (act === "get") {
            assert.strictEqual(memory.get(id), reference.get(id) && answers.get(id))
          } else {
            await answers.get(id)?.variant(`v${n}`, async () => Buffer.alloc(bytes))
            reference.grow(id, bytes)
          }
          assert.deepStrictEqual([memory.count, memory.bytes], [reference.kept.length, reference.bytes])
        }
      }),
      { numRuns: process.env.PRESAGE_SOAK === "1" ? 20_000 : 500 },
    ))

  it("an answer larger than the memory is not cached, and evicts no other", () => {
    const memory = new Memory(1000)
    memory.put("a", answerOf(10))
    memory.put("b", answerOf(1001))
    assert.isUndefined(memory.get("b"))
    assert.strictEqual(memory.bytes, overhead + 10)
  })

  it.live("an answer that lives shortly is removed when its life ends, and others stay", () =>
    Effect.gen(function* () {
      const memory = new Memory(100_000)
      memory.put("game", answerOf(10, { ...times, freshUntil: 100, staleUntil: 100 }))
      memory.put("list", answerOf(10))
      yield* eventually(
        "one answer is left",
        Effect.sync(() => memory.count === 1),
      )
      assert.isDefined(memory.get("list"))
    }),
  )

  it("a memory of 0 bytes caches nothing", () => {
    const memory = new Memory(0)
    memory.put("a", answerOf(0))
    assert.deepStrictEqual([memory.count, memory.bytes], [0, 0])
  })

  it("a variant of an answer is encoded once, and again after a failure", async () => {
    const answer = answerOf(10)
    let made = 0
    const make = async () => {
      made += 1
      if (made === 1) throw new Error("no memory")
      return Buffer.from("short")
    }
    const attempts = await Promise.allSettled([answer.variant("gzip", make), answer.variant("gzip", make)])
    assert.deepStrictEqual(
      attempts.map(({ status }) => status),
      ["rejected", "rejected"],
    )
    await answer.variant("gzip", make)
    assert.strictEqual(String(answer.variant("gzip", make)), "short")
    assert.strictEqual(made, 2)
  })
})
