import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type Hex, hashTypedData } from "viem"
import { address } from "#src/upstream/chain/contracts.ts"
import { orderHash, type SignedOrder } from "#src/upstream/chain/orderHash.ts"

const types = {
  Order: [
    { name: "salt", type: "uint256" },
    { name: "maker", type: "address" },
    { name: "signer", type: "address" },
    { name: "tokenId", type: "uint256" },
    { name: "makerAmount", type: "uint256" },
    { name: "takerAmount", type: "uint256" },
    { name: "side", type: "uint8" },
    { name: "signatureType", type: "uint8" },
    { name: "timestamp", type: "uint256" },
    { name: "metadata", type: "bytes32" },
    { name: "builder", type: "bytes32" },
  ],
} as const

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value): Hex => `0x${Buffer.from(value).toString("hex")}`)
const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

const anyOrder: fc.Arbitrary<SignedOrder> = fc.record({
  salt: word,
  maker: hex(20),
  signer: hex(20),
  tokenId: word,
  makerAmount: word,
  takerAmount: word,
  side: fc.constantFrom(0, 1),
  signatureType: fc.constantFrom(0, 1, 2, 3),
  timestamp: word,
  metadata: hex(32),
  builder: hex(32),
})

const wallet: Hex = "0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a"
const nothing: Hex = `0x${"0".repeat(64)}`

describe("orderHash", () => {
  it("equals the hash of the venue's own client", () => {
    const bought = orderHash(address.ctfExchange2, 2, {
      salt: 12_345n,
      maker: wallet,
      signer: wallet,
      tokenId: 71321045679252212594626385532706912750332728571942532289631379312455583992563n,
      makerAmount: 40_000_000n,
      takerAmount: 100_000_000n,
      side: 0,
      signatureType: 0,
      timestamp: 1_747_400_000_000n,
      metadata: nothing,
      builder: nothing,
    })
    assert.strictEqual(bought, "697db959a34d7f3ecbfe11c3b94e797af714f7f9b09fd86d8e907a849c2944b9")
    const sold = orderHash(address.ctfExchange2, 2, {
      salt: 12_345n,
      maker: wallet,
      signer: wallet,
      tokenId: 123_456_789n,
      makerAmount: 50_000_000n,
      takerAmount: 25_000_000n,
      side: 1,
      signatureType: 0,
      timestamp: 1_747_400_111_222n,
      metadata: "0xaabbccddeeff00112233445566778899aabbccddeeff00112233445566778899",
      builder: `0x${"1".repeat(64)}`,
    })
    assert.strictEqual(sold, "e458d1913ca68e2298e1c21e7a665651fa3d1a086bb90dbfaca3cb3e68095d88")
  })

  it("equals viem's hash on every exchange", () => {
    const exchanges = fc.constantFrom(
      [address.ctfExchange2, 2] as const,
      [address.negRiskExchange2, 2] as const,
      [address.exchange3, 3] as const,
    )
    fc.assert(
      fc.property(exchanges, anyOrder, ([exchange, generation], order) => {
        const domain = {
          name: "Polymarket CTF Exchange",
          version: String(generation),
          chainId: 137,
          verifyingContract: `0x${exchange}`,
        } as const
        const expected = hashTypedData({ domain, types, primaryType: "Order", message: order })
        assert.strictEqual(`0x${orderHash(exchange, generation, order)}`, expected)
      }),
    )
  })
})
