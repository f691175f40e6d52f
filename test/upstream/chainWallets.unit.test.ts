import { assert, describe, it } from "@effect/vitest"
import { concatHex, type Hex, pad, padHex } from "viem"
import { depositOwnerIn, isKeyCode, isProxyWalletCode, walletsOf } from "#src/upstream/chain/wallets.ts"

/** Keys with their wallets as the venue's own clients derive them: two deposit wallets, Safe and proxy wallet. */
const known: ReadonlyArray<readonly [owner: Hex, wallets: ReadonlyArray<Hex | undefined>]> = [
  [
    "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
    [
      "0xdf8b9e8f9ab23f261f6e1b171b7454ae6e46ba76",
      "0xbc0ff067b7740eff76c1ca93c875ba6b890d6b50",
      "0xd93b25cb943d14d0d34fbaf01fc93a0f8b5f6e47",
      "0x365f0ca36ae1f641e02fe3b7743673da42a13a70",
    ],
  ],
  [
    "0x0000000000000000000000000000000000000001",
    [
      "0x57ffbc34de23124faeb8387fcd689d314e57accd",
      "0x94bf330955a0b957662feaf878de77bf25f76cd9",
      "0x766b6851a199bf91ae3fa13b1cfac5187355118f",
      "0x7754536ecd85c00b2e0cf9c1aa679340d8550756",
    ],
  ],
  [
    "0xffffffffffffffffffffffffffffffffffffffff",
    [
      "0x5f1b3436c68810d6b8e341ebd9a7aacb5a0acf05",
      undefined,
      "0xb9a5f0449db856186d6c86d347b28e18c440594c",
      "0x2cdcdefe9f04b9f78b0573755ee270d03f2c319c",
    ],
  ],
  [
    "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
    [
      "0x5f4f45abd6e86c60b3df2a4af103f85256a2ce6d",
      undefined,
      "0x8ac5d4bd2752afc9f5ca531f19d617647216b893",
      "0xd9d24e482c11f586cd9a1a53dc3eec6de3883862",
    ],
  ],
  ["0xa60601a4d903af91855c52bfb3814f6ba342f201", ["0x8b60bf0f650bf7a0d93f10d72375b37de18f8c40"]],
]

const owner: Hex = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
const factory: Hex = "0x00000000000fb5c9adea0298d729a0cb3823cc07"

describe("Wallets of a key", () => {
  it("have the addresses that the venue's clients derive", () => {
    for (const [key, expected] of known) {
      const derived = walletsOf(key)
      assert.deepStrictEqual(
        derived.map(({ type }) => type),
        ["deposit_wallet", "deposit_wallet", "safe", "proxy_wallet"],
      )
      expected.forEach((address, i) => {
        if (address !== undefined) assert.strictEqual(derived[i]?.address, address, `${key} ${i}`)
      })
    }
  })

  it("are recognised by their code", () => {
    const proxy: Hex = "0x363d3d373d3d3d363d7344e999d5c2f66ef0861317f9a4805ac2e90aeb4f5af43d82803e903d91602b57fd5bf3"
    assert.isTrue(isProxyWalletCode(proxy))
    assert.isFalse(isProxyWalletCode(`${proxy}00`))
    assert.isFalse(isProxyWalletCode("0x"))
    const deposit = concatHex(["0x363d3d37", pad(factory), pad(owner)])
    assert.strictEqual(depositOwnerIn(deposit), owner)
    assert.isUndefined(depositOwnerIn(concatHex(["0x363d3d37", pad(owner), pad(owner)])))
    assert.isUndefined(depositOwnerIn(concatHex([pad(factory), padHex(owner, { dir: "right" })])))
    assert.isUndefined(depositOwnerIn(pad(owner)))
    assert.isUndefined(depositOwnerIn("0x"))
  })

  it("are no keys, unless a key delegates to a contract", () => {
    assert.isTrue(isKeyCode("0x"))
    assert.isTrue(isKeyCode(concatHex(["0xef0100", factory])))
    assert.isFalse(isKeyCode("0xef0100"))
    assert.isFalse(isKeyCode(concatHex(["0xef0100", factory, "0x00"])))
  })
})
