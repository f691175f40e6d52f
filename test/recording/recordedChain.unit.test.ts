import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { ChainLine } from "#src/recording/model.ts"
import { RecordedChain } from "#src/recording/replay/RecordedChain.ts"
import { makeRpc } from "#src/recording/replay/rpc.ts"

const hashOf = (number: number, branch: number) => `0x${(number * 1_000 + branch).toString(16).padStart(64, "0")}`
const first = 200_000_000
const contract = `0x${"c".repeat(40)}`

interface Step {
  readonly number: number
  readonly branch: number
  readonly parentBranch: number
}

/** Blocks in the order in which a node sent them: each replaces `depth` of the newest ones. */
const stepsOf = (depths: ReadonlyArray<number>): ReadonlyArray<Step> => {
  const branches = new Map<number, number>([[first - 1, 0]])
  let head = first - 1
  return depths.map((depth, branch) => {
    const number = Math.max(first, head + 1 - depth)
    const step = { number, branch: branch + 1, parentBranch: branches.get(number - 1) ?? 0 }
    branches.set(number, step.branch)
    head = number
    return step
  })
}

const lineOf = ({ number, branch, parentBranch }: Step, index: number): ChainLine => {
  const hash = hashOf(number, branch)
  const quantity = `0x${number.toString(16)}`
  return {
    at: index,
    block: {
      number: quantity,
      hash,
      parentHash: hashOf(number - 1, parentBranch),
      timestamp: quantity,
      logsBloom: "0x",
      transactions: [],
    },
    logs: [
      {
        address: contract,
        topics: [],
        data: "0x",
        blockNumber: quantity,
        blockHash: hash,
        transactionHash: hash,
        logIndex: "0x0",
        removed: false,
      },
    ],
  }
}

/** The chain that a node has after these steps, by number. */
const chainAfter = (steps: ReadonlyArray<Step>): ReadonlyMap<number, string> => {
  const chain = new Map<number, string>()
  for (const { number, branch } of steps) {
    for (const above of [...chain.keys()]) if (above >= number) chain.delete(above)
    chain.set(number, hashOf(number, branch))
  }
  return chain
}

const depths = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 30 })

describe("A recorded chain with reorganisations", () => {
  it("has at each moment the blocks and logs that the node had, and knows replaced ones by their hash", async () => {
    await fc.assert(
      fc.asyncProperty(depths, async (given) => {
        const steps = stepsOf(given)
        const chain = new RecordedChain(steps.map(lineOf))
        let now = 0
        const rpc = makeRpc({ chain, now: () => now })
        const ask = async (method: string, ...params: ReadonlyArray<unknown>) =>
          ((await rpc({ jsonrpc: "2.0", id: 1, method, params })) as { readonly result: unknown }).result
        for (; now < steps.length; now++) {
          chain.advance(now)
          const expected = chainAfter(steps.slice(0, now + 1))
          const head = steps[now]?.number ?? 0
          assert.strictEqual(await ask("eth_blockNumber"), `0x${head.toString(16)}`)
          for (const number of [...expected.keys(), head + 1]) {
            const block = (await ask("eth_getBlockByNumber", `0x${number.toString(16)}`, false)) as {
              readonly hash: string
            } | null
            assert.strictEqual(block?.hash, expected.get(number))
          }
          const logs = (await ask("eth_getLogs", {
            fromBlock: `0x${first.toString(16)}`,
            toBlock: "latest",
          })) as ReadonlyArray<{
            readonly blockHash: string
          }>
          assert.deepStrictEqual(
            logs.map(({ blockHash }) => blockHash),
            [...expected].toSorted(([a], [b]) => a - b).map(([, hash]) => hash),
          )
          for (const { number, branch } of steps.slice(0, now + 1)) {
            const replaced = (await ask("eth_getBlockByHash", hashOf(number, branch), false)) as {
              readonly hash: string
            }
            assert.strictEqual(replaced.hash, hashOf(number, branch))
          }
        }
      }),
      { numRuns: 50 },
    )
  })

  it("says by a code that it lacks a state, which is asked for once only", async () => {
    const chain = new RecordedChain(stepsOf([0]).map(lineOf))
    chain.advance(0)
    const rpc = makeRpc({ chain, now: () => 0 })
    const call = { jsonrpc: "2.0", id: 1, method: "eth_call", params: [{ to: contract, data: "0x" }, "latest"] }
    const { error } = (await rpc(call)) as { readonly error: { readonly code: number } }
    assert.strictEqual(error.code, 4444)
  })
})
