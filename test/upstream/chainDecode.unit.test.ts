import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { toEventSelector } from "viem"
import { address } from "#src/upstream/chain/contracts.ts"
import { decodeLog, readableAddresses, readableTopics } from "#src/upstream/chain/decode.ts"
import { topic } from "#src/upstream/chain/topics.ts"
import type { RawLog } from "#src/upstream/chain/words.ts"
import { cases } from "./chain/allCases.ts"
import { abiOf, logsOf } from "./chain/encoded.ts"

/** Runs of every property; there are three for each of the events. */
const numRuns = process.env.PRESAGE_SOAK === "1" ? 100 : 15

const names = Object.keys(cases) as ReadonlyArray<keyof typeof topic>

const isFailure = (contract: string, log: RawLog) => {
  const decoded = decodeLog(`0x${contract}`, log)
  return decoded._tag === "DecodeFailure" && decoded.reason !== ""
}

describe.each(names)("The event %s", (name) => {
  const each = cases[name]

  it("has the topic of its declaration and is requested", () => {
    assert.strictEqual(topic[name], toEventSelector(abiOf(each)))
    assert.include(readableTopics, topic[name])
    assert.includeMembers(
      [...readableAddresses],
      each.contracts.map((contract) => `0x${contract}`),
    )
  })

  it("is decoded from viem's encoding", () => {
    fc.assert(
      fc.property(logsOf(each), ({ contract, args, log }) => {
        assert.deepStrictEqual<unknown>(decodeLog(`0x${contract}`, log), each.expected(args, contract))
        const shouted = { topics: log.topics.map(shout), data: shout(log.data) }
        assert.deepStrictEqual<unknown>(decodeLog(shout(`0x${contract}`), shouted), each.expected(args, contract))
      }),
      { numRuns },
    )
  })

  it("is refused with a reason when data is missing or surplus", () => {
    const cut = fc.record({ drawn: logsOf(each), share: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }) })
    fc.assert(
      fc.property(cut, fc.integer({ min: 1, max: 130 }), ({ drawn: { contract, log }, share }, more) => {
        const { topics, data } = log
        assert.isTrue(isFailure(contract, { topics, data: `${data}${"0".repeat(more)}` }), "too much data")
        if (data.length > 2) {
          assert.isTrue(isFailure(contract, { topics, data: data.slice(0, Math.floor(data.length * share)) }), "cut")
        }
        assert.isTrue(isFailure(contract, { topics: topics.slice(0, -1), data }), "a topic less")
        assert.isTrue(isFailure(contract, { topics: [...topics, topics[0] ?? ""], data }), "a topic more")
        assert.isTrue(isFailure(contract, { topics: [], data }), "no topics")
      }),
      { numRuns },
    )
  })

  it("is refused with a reason when a digit is not hexadecimal", () => {
    const spoilt = fc.record({ drawn: logsOf(each), at: fc.nat(), by: fc.constantFrom("g", " ", "x", "\u0000", "é") })
    fc.assert(
      fc.property(spoilt, ({ drawn: { contract, log }, at, by }) => {
        const spoil = (text: string) => {
          const place = at % text.length
          return `${text.slice(0, place)}${by}${text.slice(place + 1)}`
        }
        // An x in the place of the x is what it was.
        fc.pre(by !== "x" || at % log.data.length !== 1)
        assert.isTrue(isFailure(contract, { topics: log.topics, data: spoil(log.data) }), "data")
        const place = at % log.topics.length
        const topics = log.topics.with(place, spoil(log.topics[place] ?? ""))
        fc.pre(topics[place] !== log.topics[place])
        assert.isTrue(isFailure(contract, { topics, data: log.data }), "topic")
      }),
      { numRuns },
    )
  })
})

/** Upper case, as some proxies return it. */
const shout = (text: string) => `0x${text.slice(2).toUpperCase()}`

const word = (value: bigint | number) => value.toString(16).padStart(64, "0")
const person = `0x${"0".repeat(24)}${"ab".repeat(20)}`
const reasonOf = (contract: string, topics: ReadonlyArray<string>, words: ReadonlyArray<string>) => {
  const decoded = decodeLog(`0x${contract}`, { topics, data: `0x${words.join("")}` })
  return decoded._tag === "DecodeFailure" ? decoded.reason : undefined
}

describe("A log is refused", () => {
  const filled = [topic.orderFilled2, `0x${word(1)}`, person, person]
  const filledWords = (side: bigint | number, amount: bigint | number) => [
    word(side),
    word(9),
    word(amount),
    word(2),
    word(3),
    word(0),
    word(0),
  ]

  it("if a number is not exact", () => {
    const reasonFor = (amount: bigint) => reasonOf(address.ctfExchange2, filled, filledWords(0, amount))
    assert.isUndefined(reasonFor(2n ** 53n - 1n))
    for (const amount of [2n ** 53n, 2n ** 56n - 1n, 2n ** 56n, 2n ** 64n, 2n ** 256n - 1n]) {
      assert.strictEqual(reasonFor(amount), "number above 2^53 - 1", String(amount))
    }
  })

  it("if the side or an address is invalid, or tokens are traded for tokens", () => {
    assert.strictEqual(reasonOf(address.ctfExchange2, filled, filledWords(2, 5)), "not a boolean")
    const notAnAddress = `0x${"1".repeat(64)}`
    const invalidTaker = [topic.orderFilled2, `0x${word(1)}`, person, notAnAddress]
    assert.strictEqual(reasonOf(address.ctfExchange2, invalidTaker, filledWords(0, 5)), "not an address")
    const first = [topic.orderFilled1, `0x${word(1)}`, person, person]
    for (const [given, got] of [
      [0, 0],
      [5, 6],
    ] as const) {
      assert.strictEqual(
        reasonOf(address.ctfExchange1, first, [word(given), word(got), word(1), word(2), word(0)]),
        "not a trade of shares for collateral",
      )
    }
  })

  it("if the contract is unknown, or the event belongs to another contract", () => {
    assert.strictEqual(reasonOf("ab".repeat(20), filled, filledWords(0, 5)), "unknown contract")
    assert.strictEqual(reasonOf(address.ctfExchange1, filled, filledWords(0, 5)), "unknown event")
    assert.strictEqual(reasonOf(address.ctf, filled, filledWords(0, 5)), "unknown event")
  })

  it("if arrays differ in length or exceed the data", () => {
    const moved = [topic.transferBatch, person, person, person]
    const lists = (ids: ReadonlyArray<number>, values: ReadonlyArray<number>, idLength = ids.length) => [
      word(64),
      word(96 + 32 * idLength),
      word(idLength),
      ...ids.map(word),
      word(values.length),
      ...values.map(word),
    ]
    assert.isUndefined(reasonOf(address.ctf, moved, lists([1, 2], [3, 4])))
    assert.strictEqual(reasonOf(address.ctf, moved, lists([1, 2], [3])), "arrays of different lengths")
    assert.isDefined(reasonOf(address.ctf, moved, lists([1, 2], [3, 4], Number.MAX_SAFE_INTEGER)))
    assert.strictEqual(
      reasonOf(address.ctf, moved, [word(96), word(160), ...lists([1, 2], [3, 4]).slice(2)]),
      "arrays in another order",
    )
    const resolved = [topic.conditionResolution, `0x${word(1)}`, person, `0x${word(2)}`]
    const payouts = [word(64), word(2), word(1), word(0)]
    assert.isUndefined(reasonOf(address.ctf, resolved, [word(2), ...payouts]))
    assert.strictEqual(reasonOf(address.ctf, resolved, [word(3), ...payouts]), "arrays of different lengths")
  })

  it("if it moves more shares than all collateral could back, which only tokens of another collateral do", () => {
    const most = 10 ** 15
    const single = (amount: number) =>
      reasonOf(address.ctf, [topic.transferSingle, person, person, person], [word(1), word(amount)])
    assert.isUndefined(single(most))
    assert.strictEqual(single(most + 1), "more shares than collateral")
    const batch = (...amounts: ReadonlyArray<number>) => {
      const ids = [word(64), word(96 + 32 * amounts.length), word(amounts.length), ...amounts.map((_, id) => word(id))]
      const words = [...ids, word(amounts.length), ...amounts.map(word)]
      return reasonOf(address.ctf, [topic.transferBatch, person, person, person], words)
    }
    assert.isUndefined(batch(most / 2, most / 2))
    assert.strictEqual(batch(most / 2, most / 2, 1), "more shares than collateral")
  })

  it("if a condition of 31 bytes has 32", () => {
    const topics = [topic.moduleResolution, `0x${"11".repeat(32)}`]
    assert.strictEqual(reasonOf(address.comboModule, topics, [word(32), word(1), word(5)]), "more than 31 bytes")
  })
})
