import { Effect, Schedule } from "effect"
import type { UpstreamHttp } from "../Http.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { resultOf, resultsOf } from "./answers.ts"
import {
  isRangeTooLarge,
  malformed,
  OddAnswer,
  type ReaderDied,
  type RpcFailure,
  RpcRefusal,
  sound,
} from "./failures.ts"

type Params = ReadonlyArray<unknown>
const request = (id: number, method: string, params: Params) => ({ jsonrpc: "2.0", id, method, params })

/** Providers take no more in one batch. */
const largestBatch = 100

/** JSON-RPC with a node over HTTP. */
export const makeRpc = (http: UpstreamHttp["Service"], url: string | undefined) => {
  const address =
    url === undefined
      ? Effect.fail(
          new UpstreamFailure({
            upstream: "rpc",
            reason: "unreachable",
            detail: "no node is configured: set UPSTREAM_RPC_URL",
          }),
        )
      : Effect.succeed(url)
  const post = (body: unknown) => Effect.flatMap(address, (to) => http.json("rpc", { url: to, body }))

  const call = (method: string, params: Params): Effect.Effect<unknown, RpcFailure | OddAnswer> =>
    Effect.flatMap(post(request(1, method, params)), (answer) => sound(() => resultOf(method, answer)))

  const one = (method: string, each: ReadonlyArray<Params>) =>
    Effect.flatMap(post(each.map((params, id) => request(id, method, params))), (answers) =>
      sound(() =>
        resultsOf(
          each.map(() => method),
          answers,
        ),
      ),
    )

  /** The same method with several parameters, in as few requests as providers allow. */
  const batch = (
    method: string,
    each: ReadonlyArray<Params>,
  ): Effect.Effect<ReadonlyArray<unknown>, RpcFailure | OddAnswer> =>
    Effect.map(
      Effect.forEach(
        Array.from({ length: Math.ceil(each.length / largestBatch) }, (_, i) =>
          each.slice(i * largestBatch, (i + 1) * largestBatch),
        ),
        (part) => one(method, part),
      ),
      (parts) => parts.flat(),
    )

  /** Several questions in one request, whose answer someone else reads. */
  const bytes = (questions: ReadonlyArray<{ readonly method: string; readonly params: Params }>) =>
    Effect.flatMap(address, (to) =>
      http.bytes("rpc", { url: to, body: questions.map(({ method, params }, id) => request(id, method, params)) }),
    )

  return { call, batch, bytes }
}

/** Asks again while the answer makes no sense or the node had an accident. */
export const untilSound =
  (attempts: () => number) =>
  <A, E extends RpcFailure | ReaderDied, R>(effect: Effect.Effect<A, E | OddAnswer, R>) =>
    Effect.suspend(() =>
      effect.pipe(
        Effect.retry({
          times: attempts() - 1,
          schedule: Schedule.jittered(Schedule.exponential("100 millis")),
          while: (failure) =>
            failure instanceof OddAnswer ||
            (failure instanceof RpcRefusal && failure.isTransient && !isRangeTooLarge(failure)),
        }),
        Effect.catchTag("OddAnswer", (odd) => Effect.fail(malformed(odd.detail))),
      ),
    )
