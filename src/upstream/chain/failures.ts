import { Effect, Schema } from "effect"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { MalformedReply, RefusedReply } from "./answers.ts"
import { suggestedBlocks } from "./NodeLimits.ts"
import type { BlockRange } from "./readLogs.ts"
import { type NodeRefusal, saysStateUnavailable, saysUnknownBlock, understand } from "./refusals.ts"

const prunedAdvice =
  "The node keeps only recent blocks. History needs a node that keeps the logs of all blocks (an archive node, or a provider's plan with full history); add one to UPSTREAM_RPC_URL, or set LEDGER_HISTORY to fewer days (`presage doctor --upstream` says how many the node has)"

/** The node answered with an error. */
export class RpcRefusal extends Schema.TaggedError<RpcRefusal>()("RpcRefusal", {
  method: Schema.String,
  code: Schema.Number,
  detail: Schema.String,
}) {
  readonly exitCode = exitCodes.unexpected
  override get message() {
    const advice = this.refusal?.meaning === "pruned" ? `. ${prunedAdvice}` : ""
    return `rpc: ${this.method} was refused: ${this.code} ${this.detail}${advice}`
  }

  /** What the error asks for, if its wording is known. */
  get refusal(): NodeRefusal | undefined {
    return understand(this.code, this.detail)
  }

  /** Whether a retry may succeed: an internal error, or another that passes. */
  get isTransient(): boolean {
    switch (this.refusal?.meaning) {
      case "lagging":
      case "rate-limited":
      case "unhealthy":
        return true
      case undefined:
        return this.code === -32603 || this.code === -32005
      default:
        return false
    }
  }
}

/** More blocks or logs than the node returns at once; a smaller range may work. */
export class RangeTooLarge extends Schema.TaggedError<RangeTooLarge>()("RangeTooLarge", {
  from: Schema.Number,
  to: Schema.Number,
  detail: Schema.String,
  /** A number of blocks that the node would accept, if it said so. */
  suggestedBlocks: Schema.optionalKey(Schema.Number),
}) {
  override get message() {
    return `rpc: the range of blocks ${this.from} to ${this.to} is too large: ${this.detail}`
  }
}

/** The node cannot read balances at a block: it has deleted its state, or has not reached it. */
export class StateUnavailable extends Schema.TaggedError<StateUnavailable>()("StateUnavailable", {
  block: Schema.Number,
  detail: Schema.String,
  /** The node says that it has deleted the state. Others may only be late. */
  isFinal: Schema.Boolean,
}) {
  override get message() {
    return `the node has no state of block ${this.block}: ${this.detail}. Full nodes keep that of about 128 blocks, archive nodes that of all`
  }
}

/** An answer that violates the protocol. It is retried before it counts as a failure. */
export class MalformedAnswer extends Schema.TaggedError<MalformedAnswer>()("MalformedAnswer", {
  detail: Schema.String,
}) {}

export type RpcFailure = UpstreamFailure | RpcRefusal

/** The thread that decodes answers ended; its requests must be repeated. */
export class ReaderDied extends Schema.TaggedError<ReaderDied>()("ReaderDied", { detail: Schema.String }) {
  override get message() {
    return `the history reader thread ended: ${this.detail}`
  }
}

/** Turns the exceptions of a reply's parser into failures. */
export const parseReply = <A>(read: () => A): Effect.Effect<A, RpcRefusal | MalformedAnswer> =>
  Effect.suspend((): Effect.Effect<A, RpcRefusal | MalformedAnswer> => {
    try {
      return Effect.succeed(read())
    } catch (error) {
      if (error instanceof MalformedReply) return Effect.fail(new MalformedAnswer({ detail: error.message }))
      if (!(error instanceof RefusedReply)) throw error
      const { method, code, message } = error
      return Effect.fail(new RpcRefusal({ method, code, detail: message }))
    }
  })

/** What a failure asks for, if that is known. */
export const refusalOf = (failure: RpcFailure): NodeRefusal | undefined => {
  if (failure instanceof RpcRefusal) return failure.refusal
  switch (failure.reason) {
    case "too-large":
      return { meaning: "too-wide" }
    case "timeout":
      return { meaning: "too-slow" }
    case "rate-limited":
      return { meaning: "rate-limited" }
    case "status":
      return refusalOfStatus(failure.status) ?? understand(undefined, failure.detail)
    default:
      return undefined
  }
}

/** Statuses that providers use without an explanation in the body. */
const refusalOfStatus = (status: number | undefined): NodeRefusal | undefined => {
  switch (status) {
    case 402:
      return { meaning: "batch-too-large", maxCalls: 1 }
    case 413:
      return { meaning: "too-wide" }
    // Gateways before a node that takes too long.
    case 408:
    case 504:
    case 524:
      return { meaning: "too-slow" }
    default:
      return undefined
  }
}

/** Whether it may help to ask for less. */
export const asksForLess = ({ meaning }: NodeRefusal): boolean => meaning === "too-wide" || meaning === "too-slow"

/** A failure to read a range, as the one that asks for a smaller range if it does. */
export const tooLarge = ({ from, to }: BlockRange, failure: RpcFailure): RpcFailure | RangeTooLarge => {
  const refusal = refusalOf(failure)
  const blocks = to - from + 1
  if (refusal === undefined || !asksForLess(refusal) || (refusal.meaning === "too-slow" && blocks === 1)) return failure
  const suggested = suggestedBlocks(blocks, refusal)
  const detail = failure.message.slice(0, 300)
  return new RangeTooLarge({ from, to, detail, ...(suggested === undefined ? {} : { suggestedBlocks: suggested }) })
}

/** Whether the node has no block with the requested hash. */
export const isUnknownBlock = (failure: RpcFailure): boolean =>
  failure instanceof RpcRefusal && saysUnknownBlock(failure.detail)

/** Whether the node keeps only newer blocks than the requested ones. */
export const isPruned = (failure: RpcFailure): failure is RpcRefusal =>
  failure instanceof RpcRefusal && failure.refusal?.meaning === "pruned"

/** Whether the node lacks the state of the requested block. */
export const isStateUnavailable = (failure: RpcFailure): failure is RpcRefusal =>
  failure instanceof RpcRefusal && (failure.refusal?.meaning === "pruned" || saysStateUnavailable(failure.detail))

export const stateUnavailable = (block: number, failure: RpcRefusal) =>
  new StateUnavailable({ block, detail: failure.detail, isFinal: isPruned(failure) })

export const malformed = (detail: string) =>
  new UpstreamFailure({ upstream: "rpc", reason: "malformed", detail: detail.slice(0, 200) })
