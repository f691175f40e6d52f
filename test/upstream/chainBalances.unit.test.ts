import { assert, describe, it } from "@effect/vitest"
import { decodeFunctionData, encodeFunctionResult, type Hex, parseAbi } from "viem"
import { balanceCalls, type Holding, ledgerOf, readBalances } from "#src/upstream/chain/balances.ts"
import { address } from "#src/upstream/chain/contracts.ts"
import { decodeLog } from "#src/upstream/chain/decode.ts"
import { scenarios } from "#test/explain/scenarios.ts"

const abi = parseAbi(["function balanceOfBatch(address[] owners, uint256[] ids) view returns (uint256[])"])

const holdingOf = (i: number): Holding => ({
  wallet: (i + 1).toString(16).padStart(40, "0"),
  // Every third one is a token of Protocol V2.
  token:
    i % 3 === 0
      ? `03${"7".repeat(32)}0002${"0".repeat(16)}0089${"0".repeat(5)}1`
      : "f".repeat(60) + i.toString(16).padStart(4, "0"),
})
const holdings = Array.from({ length: 250 }, (_, i) => holdingOf(i))

/** A node at which every wallet has its own number as balance. */
const answer = ({ to, data }: { readonly to: Hex; readonly data: Hex }): Hex => {
  const [owners, ids] = decodeFunctionData({ abi, data }).args
  assert.isAtMost(owners.length, 100)
  for (const id of ids) assert.strictEqual(`0x${ledgerOf(id.toString(16).padStart(64, "0"))}`, to)
  return encodeFunctionResult({ abi, functionName: "balanceOfBatch", result: owners.map((owner) => BigInt(owner)) })
}

describe("Balances", () => {
  it("ask the contract that holds a token, at most 100 at once, and keep the order", () => {
    const calls = balanceCalls(80_345_632, holdings)
    assert.lengthOf(calls, 3)
    for (const { params } of calls) assert.strictEqual(params[1], "0x4c9fa20")
    const results = calls.map(({ params }) => answer(params[0]))
    assert.deepStrictEqual(
      readBalances(calls, results),
      holdings.map((_, i) => BigInt(i + 1)),
    )
    assert.deepStrictEqual(readBalances(balanceCalls(1, []), []), [])
  })

  it("refuse answers that are no balances, or not as many as requested", () => {
    const calls = balanceCalls(1, holdings.slice(1, 3))
    const two = encodeFunctionResult({ abi, functionName: "balanceOfBatch", result: [1n, 2n ** 255n] })
    assert.deepStrictEqual(readBalances(calls, [two]), [1n, 2n ** 255n])
    const one = encodeFunctionResult({ abi, functionName: "balanceOfBatch", result: [1n] })
    for (const bad of [one, "0x", "0x12", two.slice(0, -2), null, 5, undefined]) {
      assert.throws(() => readBalances(calls, [bad]), /^eth_call: /)
    }
  })

  it("are asked of the contract that emits the token's transfers", () => {
    const tokens = new Map<string, string>()
    for (const { transactions } of scenarios) {
      for (const { address: contract, topics, data } of transactions.flatMap(({ logs }) => logs)) {
        const event = decodeLog(contract, { topics, data })
        const moved =
          event._tag === "TransferSingle" ? [event.token] : event._tag === "TransferBatch" ? event.tokens : []
        for (const token of moved) tokens.set(token, contract.slice(2))
      }
    }
    assert.sameMembers([...new Set(tokens.values())], [address.ctf, address.positionManager])
    for (const [token, contract] of tokens) assert.strictEqual(ledgerOf(token), contract, token)
  })
})
