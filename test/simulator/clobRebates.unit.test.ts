import { assert, describe, it } from "@effect/vitest"
import { getAddress } from "viem/utils"
import { defined, served } from "./clobWorld.ts"

const { sim, get, send } = served(4, "tiny")

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

interface Rebate {
  readonly date: string
  readonly condition_id: string
  readonly asset_address: string
  readonly maker_address: string
  readonly rebated_fees_usdc: string
}

describe("clob rebate route", () => {
  const { world, wallets } = sim.model
  const { books } = world.venue
  const path = (date: string, maker: string) => `/rebates/current?date=${date}&maker_address=${maker}`

  it("gives every maker what the books owe or paid it, by market and day", () => {
    let makers = 0
    for (const [index, { address }] of wallets.entries()) {
      let sum = 0
      for (let at = world.cutOver; dayOf(at) <= dayOf(sim.now()); at += 86_400_000) {
        const rows: ReadonlyArray<Rebate> = get(path(dayOf(at), address))
        assert.strictEqual(new Set(rows.map((row) => row.condition_id)).size, rows.length)
        for (const row of rows) {
          assert.strictEqual(row.date, dayOf(at))
          assert.strictEqual(row.maker_address, getAddress(address as `0x${string}`))
          assert.match(row.rebated_fees_usdc, /^\d+(\.\d{1,6})?$/)
          sum += Math.round(Number(row.rebated_fees_usdc) * 1e6)
        }
      }
      assert.strictEqual(sum, books.rebates.get(index) + books.pendingRebate(index))
      if (sum > 0) makers += 1
    }
    assert.isAbove(makers, 1)
  })

  it("knows nothing of other wallets and days, and refuses bad input", () => {
    const { address } = defined(wallets[0])
    assert.deepStrictEqual(get(path("2020-01-01", address)), [])
    assert.deepStrictEqual(get(path(dayOf(sim.now()), `0x${"e".repeat(40)}`)), [])
    for (const bad of ["/rebates/current", path("today", address), path("2026-02-03", "0x12"), path("", "")]) {
      assert.strictEqual(send(bad).status, 400, bad)
    }
  })
})
