import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { AccountId, KeyId } from "#src/domain/Account.ts"
import { currentMonth, Month } from "#src/usage/model.ts"
import { UsageBuffer } from "#src/usage/UsageBuffer.ts"

const read = Schema.decodeUnknownResult(Month)

describe("Month", () => {
  it.each(["2000-01", "2024-02", "2026-12", "2100-12"])("accepts %s", (text) => {
    assert.deepStrictEqual(read(text), Result.succeed(Month.make(text)))
  })

  it.each([
    "2026-13",
    "2026-00",
    "2026-1",
    "1999-12",
    "2101-01",
    "26-01",
    "2026-01-01",
    "2026/01",
    " 2026-01",
    "2026-01\n",
    "٢٠٢٦-01",
    "",
  ])("refuses %j with what is expected", (text) => {
    const said = Result.match(read(text), { onSuccess: () => "", onFailure: String })
    assert.include(said, "Expected a month as YYYY-MM, from 2000-01 to 2100-12")
  })

  it.effect("the current month follows the clock in UTC", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 1, 28, 23, 59, 59, 999))
      assert.strictEqual(yield* currentMonth, "2026-02")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* currentMonth, "2026-03")
    }),
  )
})

describe("UsageBuffer", () => {
  const account = AccountId.make("6f1d3c0e-3c5b-4c64-9a53-7f1f6f0f3a01")
  const keys = ["b", "a"].map((end) => KeyId.make(`6f1d3c0e-3c5b-4c64-9a53-7f1f6f0f3a0${end}`))

  it("grows with keys, families and days, not with requests, and is returned in order", () => {
    const buffer = new UsageBuffer()
    for (let i = 0; i < 10_000; i++) {
      for (const key of keys) buffer.add(i % 2, account, key, i % 4 < 2 ? "wallets" : "crypto", 1, 10)
    }
    assert.strictEqual(buffer.requests, 20_000)
    const rows = buffer.take()
    assert.deepStrictEqual(
      rows.map(({ key_id, family, requests, bytes }) => [key_id.slice(-1), family, requests, bytes]),
      [
        ["a", "crypto", 5000n, 50_000n],
        ["a", "wallets", 5000n, 50_000n],
        ["b", "crypto", 5000n, 50_000n],
        ["b", "wallets", 5000n, 50_000n],
      ],
    )
    assert.isTrue(buffer.isEmpty)
    assert.deepStrictEqual(buffer.take(), [])
  })
})
