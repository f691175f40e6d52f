import { Effect, Schema } from "effect"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { OddReply, RefusedReply } from "./answers.ts"

/** The node answered that it will not do what was asked. */
export class RpcRefusal extends Schema.TaggedError<RpcRefusal>()("RpcRefusal", {
  method: Schema.String,
  code: Schema.Number,
  detail: Schema.String,
}) {
  override get message() {
    return `rpc: ${this.method} was refused: ${this.code} ${this.detail}`
  }

  /** Whether the same request may work in a moment: an accident inside, or too many requests. */
  get isTransient(): boolean {
    return this.code === -32603 || this.code === -32005 || /rate limit|too many requests|capacity/i.test(this.detail)
  }
}

/** More blocks, or more logs, than the node gives at once: half of the range may work. */
export class RangeTooLarge extends Schema.TaggedError<RangeTooLarge>()("RangeTooLarge", {
  from: Schema.Number,
  to: Schema.Number,
  detail: Schema.String,
}) {
  override get message() {
    return `rpc: blocks ${this.from} to ${this.to} are too many at once: ${this.detail}`
  }
}

/** An answer that no sound node gives. The next one may be better, so it is asked for before this counts as a failure. */
export class OddAnswer extends Schema.TaggedError<OddAnswer>()("OddAnswer", { detail: Schema.String }) {}

export type RpcFailure = UpstreamFailure | RpcRefusal

/** Whoever was to read an answer of the node is no more; what it had is to be asked for again. */
export class ReaderDied extends Schema.TaggedError<ReaderDied>()("ReaderDied", { detail: Schema.String }) {
  override get message() {
    return `the thread that reads the chain's history came to an end: ${this.detail}`
  }
}

/** A part of reading that a bad answer breaks off. */
export const sound = <A>(read: () => A): Effect.Effect<A, RpcRefusal | OddAnswer> =>
  Effect.suspend((): Effect.Effect<A, RpcRefusal | OddAnswer> => {
    try {
      return Effect.succeed(read())
    } catch (error) {
      if (error instanceof OddReply) return Effect.fail(new OddAnswer({ detail: error.message }))
      if (!(error instanceof RefusedReply)) throw error
      const { method, code, message } = error
      return Effect.fail(new RpcRefusal({ method, code, detail: message }))
    }
  })

/** Every provider has words of its own for it, and some a status. */
const rangeWords =
  /block range|range (is )?too|ranges? over|more than \d+ (results|logs)|too many (results|logs)|response size|size exceeded|response is too big|limited to (a )?[\d,]+/i

/** Whether a failure says that less should be asked for. */
export const isRangeTooLarge = (failure: RpcFailure): boolean => {
  if (failure instanceof RpcRefusal) return rangeWords.test(failure.detail)
  if (failure.reason === "too-large" || failure.status === 413) return true
  return failure.reason === "status" && rangeWords.test(failure.detail)
}

/** Whether a failure says that there is no block with the hash that was asked for. */
export const isUnknownBlock = (failure: RpcFailure): boolean =>
  failure instanceof RpcRefusal && /unknown block|block not found|header not found|unknown header/i.test(failure.detail)

export const malformed = (detail: string) =>
  new UpstreamFailure({ upstream: "rpc", reason: "malformed", detail: detail.slice(0, 200) })
