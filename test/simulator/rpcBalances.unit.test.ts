import { assert, describe, it } from "@effect/vitest"
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from "viem"
import { address, topic } from "#src/simulator/chain/contracts.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import type { Token } from "#src/simulator/world/Venue.ts"
import { clientOf, frozenSimulation, logsOf, post } from "./rpcClient.ts"

const abi = parseAbi([
  "function balanceOf(address owner, uint256 id) view returns (uint256)",
  "function balanceOfBatch(address[] owners, uint256[] ids) view returns (uint256[])",
  "function totalSupply(uint256 id) view returns (uint256)",
])

/** Much happens in its newest blocks, some of which were replaced. */
const sim = frozenSimulation(6)
sim.setRate(50)
sim.advance(60_000)
sim.reorg(7)
sim.advance(30_000)

/** Adds up all transfers since the first block. */
const makeReplay = () => {
  const balances = new Map<string, bigint>()
  let next = firstBlock
  const add = (owner: string, token: string, amount: bigint) => {
    const key = `${owner} ${token}`
    balances.set(key, (balances.get(key) ?? 0n) + amount)
  }
  const readTo = (last: number) => {
    const to = Math.min(last, next + 9_999)
    for (const log of logsOf(sim, next, to, { topics: [[topic.transferSingle, topic.transferBatch]] })) {
      const words = log.data.slice(2).match(/.{64}/g) ?? []
      const isSingle = log.topics[0] === topic.transferSingle
      const count = isSingle ? 1 : Number(`0x${words[2]}`)
      const [firstToken, firstAmount] = isSingle ? [0, 1] : [3, 4 + count]
      for (let i = 0; i < count; i++) {
        const [token = "", amount] = [words[firstToken + i], BigInt(`0x${words[firstAmount + i]}`)]
        add(`0x${log.topics[2]?.slice(26)}`, token, -amount)
        add(`0x${log.topics[3]?.slice(26)}`, token, amount)
      }
    }
    next = to + 1
  }
  /** Balances after a block, by owner and token; blocks must ascend. */
  return (last: number): ReadonlyMap<string, bigint> => {
    while (next <= last) readTo(last)
    return balances
  }
}

const contractOf = ({ market }: Token): Hex => (market.legs === undefined ? address.ctf : address.positionManager)

describe("eth_call", () => {
  it("returns every balance at recent blocks, exactly as the transfers up to the block add up", async () => {
    const replay = makeReplay()
    const { wallets } = sim.model
    const { books, tokens } = sim.model.world.venue
    const held = Array.from({ length: books.walletOf.length }, (_, i) => ({
      owner: wallets[books.walletOf.get(i)]?.address as Hex,
      token: tokens[books.tokenOf.get(i)] as Token,
    }))
    assert.isTrue(held.some(({ token }) => contractOf(token) === address.positionManager))
    const seen = new Set<string>()
    for (const block of [sim.head - 127, sim.head - 20, sim.head - 1, sim.head]) {
      const truth = replay(block)
      const expected = held.map(({ owner, token }) => truth.get(`${owner} ${token.hex}`) ?? 0n)
      for (const contract of [address.ctf, address.positionManager] as const) {
        const balances = await clientOf(sim).readContract({
          address: contract,
          abi,
          functionName: "balanceOfBatch",
          args: [held.map(({ owner }) => owner), held.map(({ token }) => BigInt(token.id))],
          blockNumber: BigInt(block),
        })
        assert.deepStrictEqual(
          balances,
          held.map(({ token }, i) => (contractOf(token) === contract ? (expected[i] ?? 0n) : 0n)),
        )
      }
      seen.add(expected.join())
    }
    assert.strictEqual(seen.size, 4, "the balances of these blocks are the same")
  })

  it("returns single balances at the newest block, and 0 for unknown owners and tokens", async () => {
    const truth = makeReplay()(sim.head)
    const [key = "", balance] = [...truth].find(
      ([key, amount]) => amount > 0n && sim.model.wallets.some((wallet) => key.startsWith(wallet.address)),
    ) ?? ["", 0n]
    const [owner, token] = key.split(" ") as [Hex, string]
    const contract = contractOf(sim.model.world.venue.tokenWithId(BigInt(`0x${token}`).toString()) as Token)
    const balanceOf = (of: Hex, id: bigint) =>
      clientOf(sim).readContract({ address: contract, abi, functionName: "balanceOf", args: [of, id] })
    assert.strictEqual(await balanceOf(owner, BigInt(`0x${token}`)), balance)
    assert.strictEqual(await balanceOf(owner, 5n), 0n)
    assert.strictEqual(await balanceOf("0x00000000000000000000000000000000000000aa", BigInt(`0x${token}`)), 0n)
  })

  it("fails as real nodes do: without the state of the block, or for other calls", () => {
    const owner: Hex = "0x00000000000000000000000000000000000000aa"
    const data = encodeFunctionData({ abi, functionName: "balanceOf", args: [owner, 5n] })
    const errorOf = (call: object, block: string) => post(sim, "eth_call", [call, block]).error
    const valid = { to: address.ctf, data }
    assert.isUndefined(errorOf(valid, "latest"))
    assert.isUndefined(errorOf(valid, numberToHex(sim.head - 127)))
    const pruned = errorOf(valid, numberToHex(sim.head - 128))
    assert.strictEqual(pruned?.code, -32000)
    assert.match(pruned?.message ?? "", /^missing trie node [0-9a-f]{64}/)
    assert.deepStrictEqual(errorOf(valid, numberToHex(sim.head + 1)), { code: -32000, message: "header not found" })
    const revert = { code: -32000, message: "execution reverted" }
    assert.deepStrictEqual(errorOf({ to: address.ctf2, data }, "latest"), revert)
    const supply = encodeFunctionData({ abi, functionName: "totalSupply", args: [5n] })
    assert.deepStrictEqual(errorOf({ to: address.ctf, data: supply }, "latest"), revert)
    assert.deepStrictEqual(errorOf({ to: address.ctf, data: data.slice(0, 20) }, "latest"), revert)
    const uneven = encodeFunctionData({ abi, functionName: "balanceOfBatch", args: [[owner], [5n, 6n]] })
    assert.deepStrictEqual(errorOf({ to: address.ctf, data: uneven }, "latest"), revert)
    assert.strictEqual(errorOf({ data }, "latest")?.code, -32602)
  })
})
