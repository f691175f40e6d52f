import { assert, describe, it } from "@effect/vitest"
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from "viem"
import { address } from "#src/simulator/chain/contracts.ts"
import type { WalletKind } from "#src/simulator/world/model.ts"
import { depositOwnerIn, isKeyCode, isProxyWalletCode, walletsOf } from "#src/upstream/chain/wallets.ts"
import { ask, clientOf, frozenSimulation, post } from "./rpcClient.ts"

const sim = frozenSimulation(6)
const { wallets } = sim.model

const ofKind = (kind: WalletKind) => wallets.filter((wallet) => wallet.kind === kind)
const codeOf = (account: string) => ask<Hex>(sim, "eth_getCode", account, "latest")

describe("Wallets of the simulated venue", () => {
  it("have the addresses that the factories give to their owners", () => {
    const places = { deposit: [0, 1], safe: [2], proxy: [3] } as const
    for (const kind of ["deposit", "safe", "proxy"] as const) {
      const found = ofKind(kind).map((wallet) =>
        walletsOf(wallet.owner as Hex).findIndex((each) => each.address === wallet.address),
      )
      assert.deepStrictEqual([...new Set(found)].sort(), [...places[kind]])
    }
  })

  it("have code, from which deposit and proxy wallets are recognised", () => {
    for (const { address: account, owner } of ofKind("deposit")) {
      assert.strictEqual(depositOwnerIn(codeOf(account)), owner)
      assert.strictEqual(codeOf(owner), "0x")
    }
    for (const { address: account } of ofKind("proxy")) assert.isTrue(isProxyWalletCode(codeOf(account)))
    for (const { address: account } of ofKind("eoa")) assert.strictEqual(codeOf(account), "0x")
    for (const account of [...ofKind("safe").map((wallet) => wallet.address), address.ctf]) {
      const code = codeOf(account)
      assert.isFalse(isKeyCode(code) || isProxyWalletCode(code))
      assert.isUndefined(depositOwnerIn(code))
    }
  })

  it("name their owners if they are Safes, and refuse the call otherwise", async () => {
    const abi = parseAbi(["function getOwners() view returns (address[])"])
    const [safe] = ofKind("safe")
    const owners = await clientOf(sim).readContract({ abi, address: safe?.address as Hex, functionName: "getOwners" })
    assert.deepStrictEqual(
      owners.map((owner) => owner.toLowerCase()),
      [safe?.owner],
    )
    const data = encodeFunctionData({ abi })
    for (const to of [address.ctf, address.ctf2, ofKind("proxy")[0]?.address]) {
      assert.strictEqual(post(sim, "eth_call", [{ to, data }, "latest"]).error?.message, "execution reverted")
    }
    assert.strictEqual(ask(sim, "eth_call", { to: ofKind("eoa")[0]?.address, data }, "latest"), "0x")
  })

  it("have no code that the node could read at old or future blocks", () => {
    const errorAt = (block: number) => post(sim, "eth_getCode", [address.ctf, numberToHex(block)]).error
    assert.isUndefined(errorAt(sim.head))
    assert.match(errorAt(sim.head - 128)?.message ?? "", /missing trie node/)
    assert.strictEqual(errorAt(sim.head + 1)?.message, "header not found")
    assert.strictEqual(post(sim, "eth_getCode", ["0x12", "latest"]).error?.code, -32602)
  })
})
