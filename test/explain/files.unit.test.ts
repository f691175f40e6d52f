import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { explain } from "#src/explain/explain.ts"
import { explanationJson } from "#src/explain/rendering.ts"
import { Scenario } from "#src/explain/scenario.ts"
import { expectedChanges, scenarios } from "./scenarios.ts"

const scenario = scenarios.find(({ id }) => id === "ramp-wrap")
const [transaction] = scenario?.transactions ?? []
const read = (file: unknown) => Schema.decodeUnknownResult(Scenario)(file)
const withLogs = (change: (log: Readonly<Record<string, unknown>>) => unknown) => ({
  transactions: [{ ...transaction, logs: transaction?.logs.map((log) => change({ ...log })) }],
})
const withField = (name: string, value: unknown) => ({ transactions: [{ ...transaction, [name]: value }] })

const refused: ReadonlyArray<readonly [string, unknown, RegExp]> = [
  ["null", null, /Expected object/],
  ["a list", [transaction], /Expected object/],
  ["no transactions", {}, /Missing key.*"transactions"/s],
  ["no logs", { transactions: [{ hash: transaction?.hash, blockNumber: "0x1" }] }, /"logs"/],
  ["a hash with a NUL byte", withField("hash", "0x\0"), /64 hexadecimal digits.*"hash"/s],
  ["a short hash", withField("hash", "0x12"), /64 hexadecimal digits.*"hash"/s],
  ["a decimal block", withField("blockNumber", 5), /Expected string.*"blockNumber"/s],
  ["an empty number", withField("blockNumber", "0x"), /1 to 13 hexadecimal digits.*"blockNumber"/s],
  ["a number of 256 bits", withField("timestamp", `0x${"f".repeat(64)}`), /1 to 13 hexadecimal digits/],
  ["a short address", withLogs((log) => ({ ...log, address: "0x12" })), /40 hexadecimal digits.*"address"/s],
  ["a short topic", withLogs((log) => ({ ...log, topics: ["0x12"] })), /64 hexadecimal digits.*"topics"/s],
  ["five topics", withLogs((log) => ({ ...log, topics: Array(5).fill(`0x${"0".repeat(64)}`) })), /"topics"/],
  ["half a byte", withLogs((log) => ({ ...log, data: "0x123" })), /two for each byte.*"data"/s],
  ["no log index", withLogs(({ logIndex: _, ...log }) => log), /Missing key.*"logIndex"/s],
]

describe("A file of presage explain-tx", () => {
  it.each(refused)("is refused with the place of the mistake: %s", (_, file, reason) => {
    const result = read(file)
    assert.isTrue(Result.isFailure(result))
    if (Result.isFailure(result)) assert.match(result.failure.message, reason)
  })

  it("may have logs in any order, as their numbers tell it", () => {
    for (const each of scenarios) {
      const transactions = each.transactions.map((one) => ({ ...one, logs: one.logs.toReversed() }))
      const expected = explanationJson(explain({ transactions: each.transactions }))
      assert.deepStrictEqual(explanationJson(explain({ transactions })), expected)
    }
  })

  it("may have logs of several transactions in one, with the same numbers", () => {
    const several = ["ramp-wrap", "ramp-unwrap", "ramp-wrap-usdc-for-other"].flatMap((id) =>
      scenarios.filter((each) => each.id === id),
    )
    const logs = several.flatMap(({ transactions }) => transactions.flatMap((each) => each.logs))
    assert.isBelow(new Set(logs.map(({ logIndex }) => logIndex)).size, logs.length)
    assert.isDefined(transaction)
    const { facts, changes } = explanationJson(explain({ transactions: [{ ...transaction, logs }] }))
    const own = Object.keys(expectedChanges(several))
    assert.deepStrictEqual(
      Object.fromEntries(Object.entries(changes).filter(([wallet]) => own.includes(wallet))),
      expectedChanges(several),
    )
    const alone = several.flatMap(({ transactions }) => explanationJson(explain({ transactions })).facts)
    const details = (all: typeof facts) => all.map(({ tx: _, ...fact }) => fact)
    assert.deepStrictEqual(details(facts), details(alone))
  })
})
