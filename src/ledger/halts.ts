import { Effect, Option, Schema } from "effect"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { rpcUrl } from "#src/upstream/settings.ts"
import { Ledger } from "./Ledger.ts"

/** No block that the ledger can roll back to is on the node's chain. */
export class ReorgTooDeep extends Schema.TaggedError<ReorgTooDeep>()("ReorgTooDeep", {
  block: Schema.Number,
  depth: Schema.Number,
}) {
  override get message() {
    return `block ${this.block} was replaced by a reorganisation deeper than ${this.depth} blocks: the ledger is halted. If the node is on a wrong chain, set ${rpcUrl.env} to another node. If the chain itself was replaced that deep, run 'presage ledger rewind', after which the ledger continues by itself.`
  }
}

/** The ledger was read from another chain than the node's. */
export class OtherChain extends Schema.TaggedError<OtherChain>()("OtherChain", {
  /** The oldest block of the ledger. */
  block: Schema.Number,
  ours: Schema.String,
  theirs: Schema.String,
}) {
  override get message() {
    return `the node has another chain than the ledger was read from: block ${this.block}, the oldest of the ledger, is 0x${this.ours} in the ledger and 0x${this.theirs} at the node. The ledger is halted. Connect the chain that it was read from (${rpcUrl.env}; for the simulated venue, restore simulator/journal.jsonl in its PRESAGE_DIR), or begin with an empty database and another PRESAGE_DIR.`
  }
}

/** What only an operator can fix. */
export const isHalting = (failure: { readonly _tag: string }): failure is ReorgTooDeep | OtherChain =>
  failure._tag === "ReorgTooDeep" || failure._tag === "OtherChain"

/** Fails if the node has another block in the place of the oldest one of the ledger. It may have none: nodes prune. */
export const checkChain = Effect.gen(function* () {
  const oldest = yield* (yield* Ledger).oldest
  if (Option.isNone(oldest)) return
  const { number, hash } = oldest.value
  const header = yield* (yield* ChainNode).header(number)
  if (header === undefined || header.hash === hash) return
  return yield* new OtherChain({ block: number, ours: hash, theirs: header.hash })
})
