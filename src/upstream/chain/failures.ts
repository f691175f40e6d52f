import { Effect, Schema } from "effect"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { MalformedReply, RefusedReply } from "./answers.ts"

/** The node answered with an error. */
export class RpcRefusal extends Schema.TaggedError<RpcRefusal>()("RpcRefusal", {
  method: Schema.String,
  code: Schema.Number,
  detail: Schema.String,
}) {
  readonly exitCode = exitCodes.unexpected
  override get message() {
    return `rpc: ${this.method} was refused: ${this.code} ${this.detail}`
  }

  /** Whether a retry may succeed: an internal error, or too many requests. */
  get isTransient(): boolean {
    return this.code === -32603 || this.code === -32005 || /rate limit|too many requests|capacity/i.test(this.detail)
  }
}

/** More blocks or logs than the node returns at once; a smaller range may work. */
export class RangeTooLarge extends Schema.TaggedError<RangeTooLarge>()("RangeTooLarge", {
  from: Schema.Number,
  to: Schema.Number,
  detail: Schema.String,
}) {
  override get message() {
    return `rpc: the range of blocks ${this.from} to ${this.to} is too large: ${this.detail}`
  }
}

/** The node cannot read balances at a block: it has deleted its state, or has not reached it. */
export class StateUnavailable extends Schema.TaggedError<StateUnavailable>()("StateUnavailable", {
  block: Schema.Number,
  detail: Schema.String,
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

/** Providers word this differently; some use a status. */
const rangeWords =
  /block range|range (is )?too|ranges? over|more than \d+ (results|logs)|too many (results|logs)|response size|size exceeded|response is too big|limited to (a )?[\d,]+/i

/** Whether a smaller range may work. */
export const isRangeTooLarge = (failure: RpcFailure): boolean => {
  if (failure instanceof RpcRefusal) return rangeWords.test(failure.detail)
  if (failure.reason === "too-large" || failure.status === 413) return true
  return failure.reason === "status" && rangeWords.test(failure.detail)
}

/** Whether the node has no block with the requested hash. */
export const isUnknownBlock = (failure: RpcFailure): boolean =>
  failure instanceof RpcRefusal && /unknown block|block not found|header not found|unknown header/i.test(failure.detail)

/** Nodes and providers word this differently. */
const stateWords =
  /missing trie node|header not found|unknown block|block not found|(state|block|data).*(not available|unavailable|pruned|not found)|historical state|archive/i

/** Whether the node lacks the state of the requested block. */
export const isStateUnavailable = (failure: RpcFailure): failure is RpcRefusal =>
  failure instanceof RpcRefusal && stateWords.test(failure.detail)

export const malformed = (detail: string) =>
  new UpstreamFailure({ upstream: "rpc", reason: "malformed", detail: detail.slice(0, 200) })
