import { firstBlock } from "../../world/blockClock.ts"
import type { WorldModel } from "../../world/makeWorld.ts"
import { address, exchangeOf, topic } from "../contracts.ts"
import type { Log } from "../LogEncoder.ts"
import type { NodeView } from "./params.ts"

/** Changes of balances, by owner and token. */
type Changes = ReadonlyMap<string, bigint>

const keyOf = (owner: string, token: string) => `${owner} ${token}`
const ownerIn = (padded = "") => `0x${padded.slice(-40)}`

/** The tokens and amounts of a transfer log. */
const transfersIn = ({ topics, data }: Log): ReadonlyArray<readonly [token: string, amount: bigint]> => {
  const word = (i: number) => data.slice(2 + i * 64, 66 + i * 64)
  const amount = (i: number) => BigInt(`0x${word(i)}`)
  if (topics[0] === topic.transferSingle) return [[word(0), amount(1)]]
  if (topics[0] !== topic.transferBatch) return []
  const count = Number(amount(2))
  return Array.from({ length: count }, (_, i) => [word(3 + i), amount(4 + count + i)])
}

/** What the transactions after a block changed, including those that are still in the mempool. */
const changesAfter = ({ chain, logs, model }: NodeView, block: number): Changes => {
  const changes = new Map<string, bigint>()
  const add = (key: string, amount: bigint) => changes.set(key, (changes.get(key) ?? 0n) + amount)
  for (let tx = chain.txRange(block)[1]; tx < model.world.facts.length; tx++) {
    for (const log of logs.logsOf(tx)) {
      for (const [token, amount] of transfersIn(log)) {
        add(keyOf(ownerIn(log.topics[2]), token), -amount)
        add(keyOf(ownerIn(log.topics[3]), token), amount)
      }
    }
  }
  return changes
}

interface Known {
  readonly walletAt: ReadonlyMap<string, number>
  asOf: string
  changes: Changes
}

/** The calls of a batch ask about the same block. */
const known = new WeakMap<WorldModel, Known>()

const knownAt = (node: NodeView, block: number): Known => {
  const { model, chain } = node
  const found = known.get(model) ?? {
    walletAt: new Map(model.wallets.map((wallet) => [wallet.address, wallet.index])),
    asOf: "",
    changes: new Map(),
  }
  known.set(model, found)
  const asOf = `${chain.hashOf(block)} ${model.world.facts.length}`
  if (found.asOf !== asOf) Object.assign(found, { asOf, changes: changesAfter(node, block) })
  return found
}

/** Nodes that are no archives keep the state of this many blocks. */
const keptStates = 128

/** Whether the node can read balances at a block. */
export const hasState = ({ head }: NodeView, block: number): boolean =>
  block >= firstBlock && block <= head && block > head - keptStates

/**
 * The balance of an outcome token at a block: what the books hold, without later transfers. Only wallets hold any: the
 * books do not know what exchanges and adapters hold.
 */
export const balanceAt = (node: NodeView, block: number, contract: string, owner: string, id: bigint): bigint => {
  const { venue } = node.model.world
  const { walletAt, changes } = knownAt(node, block)
  const token = venue.tokenWithId(String(id))
  const wallet = walletAt.get(owner)
  if (token === undefined || wallet === undefined) return 0n
  if (exchangeOf(token.market, true).tokens !== contract) return 0n
  return BigInt(venue.books.held(wallet, token.index)) - (changes.get(keyOf(owner, token.hex)) ?? 0n)
}

/** The contracts that hold outcome tokens. */
export const tokenContracts: ReadonlySet<string> = new Set([address.ctf, address.positionManager])
