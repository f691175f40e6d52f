import { assert, describe, it } from "@effect/vitest"
import { openingsOf } from "#src/ledger/openings.ts"

const pair = (token: number) => ({ id: { wallet: 1, token }, wallet: "a", token: "b" })

describe("What a wallet held before the ledger", () => {
  it("is unknown if it is more than the venue can have: tokens of a worthless collateral", () => {
    const balances = [0n, 5n, 10n ** 15n, 10n ** 15n + 1n, 10n ** 30n, 2n ** 256n - 1n, undefined]
    const openings = openingsOf(
      balances.map((_, token) => pair(token)),
      balances,
    )
    assert.deepStrictEqual(
      openings.map(({ token, shares }) => [token, shares]),
      [
        [1, 5],
        [2, 10 ** 15],
        [3, undefined],
        [4, undefined],
        [5, undefined],
        [6, undefined],
      ],
    )
  })
})
