import { Clock, Duration, Effect, Metric, Result, Semaphore } from "effect"
import type { UpstreamHttp } from "../Http.ts"
import { isUnderstood, joinAnswers, refusalIn, resultsOf } from "./answers.ts"
import {
  asksForLess,
  type MalformedAnswer,
  malformed,
  parseReply,
  type RpcFailure,
  RpcRefusal,
  refusalOf,
} from "./failures.ts"
import type { NodeLimits } from "./NodeLimits.ts"

type Bytes = Buffer<ArrayBuffer>

export interface RpcCall {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

export interface NodeAddress {
  /** May contain a key. */
  readonly url: string
  /** Names the node in logs and metrics, without secrets. */
  readonly label: string
}

const callsTo = (node: string, method: string) =>
  Metric.counter("presage_rpc_calls_total", {
    description: "JSON-RPC calls to each node; providers charge for each call of a batch",
    incremental: true,
    attributes: { node, method },
  })

/** Pause after a refusal that does not say how long. */
const rateLimitPause = Duration.seconds(1)
const maxPause = Duration.minutes(1)

const requestOf = (calls: ReadonlyArray<RpcCall>, firstId: number) => {
  const requests = calls.map(({ method, params }, i) => ({ jsonrpc: "2.0", id: firstId + i, method, params }))
  // Some plans refuse batches, even of one.
  return requests.length === 1 ? requests[0] : requests
}

const parsed = (answer: Bytes): Effect.Effect<unknown, RpcFailure> =>
  Effect.try({
    try: (): unknown => JSON.parse(answer.toString("utf8")),
    catch: () => malformed(`not JSON: ${answer.toString("utf8", 0, 200)}`),
  })

/** JSON-RPC with one node over HTTP, in requests as large as it accepts. */
export const makeRpc = (http: UpstreamHttp["Service"], { url, label }: NodeAddress, limits: NodeLimits) => {
  const permits = Semaphore.makeUnsafe(limits.permits)

  const waitForNode = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    limits.pausedUntil > now ? Effect.sleep(limits.pausedUntil - now) : Effect.void,
  )

  const learn = Effect.fnUntraced(function* (failure: RpcFailure) {
    if (refusalOf(failure)?.meaning !== "rate-limited") return
    const pause = ("retryAfter" in failure ? failure.retryAfter : undefined) ?? rateLimitPause
    limits.rateLimited(yield* Clock.currentTimeMillis, Duration.toMillis(Duration.min(pause, maxPause)))
    yield* permits.resize(limits.permits)
  })

  /** One request. Fails if the answer as a whole is a refusal. */
  const send = (calls: ReadonlyArray<RpcCall>, firstId: number, isHeavy: boolean): Effect.Effect<Bytes, RpcFailure> =>
    Effect.gen(function* () {
      yield* waitForNode
      for (const { method } of calls) yield* Metric.update(callsTo(label, method), 1)
      const answer = yield* http.bytes("rpc", {
        url,
        body: requestOf(calls, firstId),
        server: label,
        // The callers know whether another attempt may help, and on which node.
        attempts: 1,
        isResponse: isUnderstood,
        isHeavy,
      })
      const refusal = refusalIn(answer)
      if (refusal !== undefined) return yield* new RpcRefusal({ method: calls[0]?.method ?? "", ...refusal })
      if (limits.succeeded()) yield* permits.resize(limits.permits)
      return answer
    }).pipe(permits.withPermit, Effect.tapError(learn))

  /** Sends calls in as few requests as the node accepts. */
  const inParts = Effect.fnUntraced(function* <A>(
    calls: ReadonlyArray<RpcCall>,
    isDivisible: boolean,
    ask: (part: ReadonlyArray<RpcCall>, firstId: number) => Effect.Effect<A, RpcFailure | MalformedAnswer>,
  ): Effect.fn.Return<ReadonlyArray<A>, RpcFailure | MalformedAnswer> {
    const answers: Array<A> = []
    let [next, size] = [0, calls.length]
    while (next < calls.length) {
      const part = calls.slice(next, next + Math.min(size, limits.calls))
      const result = yield* Effect.result(ask(part, next))
      if (Result.isSuccess(result)) {
        answers.push(result.success)
        next += part.length
        continue
      }
      const { failure } = result
      const refusal = failure._tag === "MalformedAnswer" ? undefined : refusalOf(failure)
      if (part.length === 1 || refusal === undefined) return yield* Effect.fail(failure)
      if (refusal.meaning === "batch-too-large") limits.refusedBatch(part.length, refusal)
      else if (isDivisible && asksForLess(refusal)) size = Math.ceil(part.length / 2)
      else return yield* Effect.fail(failure)
    }
    return answers
  })

  /** The results of several calls, in their order. */
  const batch = (calls: ReadonlyArray<RpcCall>): Effect.Effect<ReadonlyArray<unknown>, RpcFailure | MalformedAnswer> =>
    Effect.map(
      inParts(calls, true, (part, firstId) => {
        const isHeavy = part.length > 1 && part[0]?.method === "eth_getLogs"
        const methods = part.map(({ method }) => method)
        return Effect.flatMap(Effect.flatMap(send(part, firstId, isHeavy), parsed), (answer) =>
          parseReply(() => resultsOf(methods, answer, firstId)),
        )
      }),
      (parts) => parts.flat(),
    )

  const call = (method: string, params: RpcCall["params"]) =>
    Effect.map(batch([{ method, params }]), ([result]) => result)

  /** The unparsed answers to several calls, as if they were one batch. */
  const bytes = (calls: ReadonlyArray<RpcCall>, isHeavy: boolean) =>
    Effect.map(
      inParts(calls, false, (part, firstId) => send(part, firstId, isHeavy)),
      joinAnswers,
    )

  return { call, batch, bytes }
}

export type Rpc = ReturnType<typeof makeRpc>
