import { assert, describe, it } from "@effect/vitest"
import type { Hex } from "viem"
import { encodePacked, keccak256 } from "viem/utils"
import { address, topic } from "#src/simulator/chain/contracts.ts"
import { conditionIdOf, negRiskMarketIdOf } from "#src/simulator/chain/ids.ts"
import { jacobiOver } from "#src/simulator/chain/jacobi.ts"
import { keccak256 as keccak } from "#src/simulator/chain/keccak.ts"
import { tokenHexOf } from "#src/simulator/chain/tokenId.ts"
import { hexOf } from "#src/simulator/random.ts"
import { scenarios } from "#test/explain/scenarios.ts"

const logs = scenarios.flatMap(({ transactions }) => transactions.flatMap((each) => each.logs))
const ofKind = (kind: string) => logs.filter(({ topics }) => topics[0] === kind)
const addressIn = (word = "") => `0x${word.slice(-40)}`

const decimal = (hex: string) => String(BigInt(`0x${hex}`))

const prime = 21888242871839275222246405745257275088696311157297823662689037894645226208583n

const power = (base: bigint, exponent: bigint): bigint => {
  if (exponent === 0n) return 1n
  const root = power((base * base) % prime, exponent >> 1n)
  return exponent & 1n ? (root * base) % prime : root
}

/** The published code of CTHelpers.getCollectionId for parent 0, and CTHelpers.getPositionId, line by line. */
const positionIdOf = (collateral: string, conditionId: string, indexSet: bigint): string => {
  let x1 = BigInt(keccak256(encodePacked(["bytes32", "uint256"], [conditionId as Hex, indexSet])))
  const odd = x1 >> 255n !== 0n
  let [y1, yy] = [0n, 1n]
  while ((y1 * y1) % prime !== yy) {
    x1 = (x1 + 1n) % prime
    yy = (x1 ** 3n + 3n) % prime
    y1 = power(yy, (prime + 1n) / 4n)
  }
  if ((odd && y1 % 2n === 0n) || (!odd && y1 % 2n === 1n)) y1 = prime - y1
  if (y1 % 2n === 1n) x1 ^= 1n << 254n
  const collection: Hex = `0x${x1.toString(16).padStart(64, "0")}`
  return String(BigInt(keccak256(encodePacked(["address", "bytes32"], [collateral as Hex, collection]))))
}

/** Made-up numbers of 32 bytes. */
const numbers = (count: number, seed: number) => Array.from({ length: count }, (_, i) => hexOf(32, seed, i))

const outcomes = [0, 1] as const

describe("Ids of the simulated venue", () => {
  it("derive conditions as the real contract does", () => {
    const prepared = ofKind(topic.conditionPreparation)
    assert.isAbove(prepared.length, 3)
    for (const { topics } of prepared) {
      assert.strictEqual(conditionIdOf(addressIn(topics[2]), topics[3] ?? ""), topics[1])
    }
  })

  it("derive neg-risk events as the real adapter does", () => {
    const prepared = ofKind(topic.marketPrepared)
    assert.isNotEmpty(prepared)
    for (const { topics, data } of prepared) {
      const [feeBips, text] = [Number(`0x${data.slice(2, 66)}`), data.slice(2 + 128)]
      assert.strictEqual(negRiskMarketIdOf(addressIn(topics[2]), feeBips, text), topics[1])
    }
  })

  it("derive tokens as the real contracts do", () => {
    const markets = scenarios.flatMap(({ about }) => [
      ...(about.market === undefined ? [] : [about.market]),
      ...(about.markets ?? []),
      ...(about.questions ?? []),
    ])
    const recorded = new Map(markets.map((market) => [market.conditionId, market]))
    const older = [...recorded.values()].filter(({ negRisk }) => negRisk !== undefined)
    assert.isAbove(older.filter(({ negRisk }) => negRisk === true).length, 20)
    assert.isAbove(older.filter(({ negRisk }) => negRisk === false).length, 20)
    for (const { negRisk, conditionId, tokens } of older) {
      const collateral = negRisk === true ? address.wrappedCollateral : address.usdce
      const derived = outcomes.map((outcome) => decimal(tokenHexOf(collateral, conditionId, outcome)))
      assert.deepStrictEqual(derived, [...tokens])
    }
  })

  it("derive tokens as the code of the contract does, which computes the whole point", () => {
    for (const digits of numbers(100, 1)) {
      for (const outcome of outcomes) {
        const plain = positionIdOf(address.usdce, `0x${digits}`, BigInt(outcome + 1))
        assert.strictEqual(decimal(tokenHexOf(address.usdce, `0x${digits}`, outcome)), plain)
      }
    }
  })

  it("are hashed as another implementation does, whatever the length", () => {
    for (let length = 0; length < 300; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * length) % 251)
      assert.strictEqual(`0x${keccak(bytes)}`, keccak256(bytes))
    }
  })

  it("tell squares from other numbers as Euler's criterion does", () => {
    const jacobi = jacobiOver(prime)
    const random = numbers(300, 2).map((digits) => BigInt(`0x${digits}`) % prime)
    // Numbers with whole limbs of zeros or ones.
    const special = Array.from({ length: 254 }, (_, bit) => [1n << BigInt(bit), prime - (1n << BigInt(bit))]).flat()
    for (const value of [0n, 1n, prime - 1n, ...random, ...special.filter((each) => each > 0n)]) {
      const criterion = power(value, (prime - 1n) / 2n)
      assert.strictEqual(jacobi(value), criterion === prime - 1n ? -1 : Number(criterion), String(value))
    }
  })
})
