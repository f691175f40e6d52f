import { Effect, Schedule } from "effect"
import type { UpstreamHttp } from "../Http.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { resultOf, resultsOf } from "./answers.ts"
import {
  isRangeTooLarge,
  MalformedAnswer,
  malformed,
  parseReply,
  type ReaderDied,
  type RpcFailure,
  RpcRefusal,
} from "./failures.ts"

type Params = ReadonlyArray<unknown>
const request = (id: number, method: string, params: Params) => ({ jsonrpc: "2.0", id, method, params })

/** Providers accept no larger batches. */
const maxBatch = 100

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

  const call = (method: string, params: Params): Effect.Effect<unknown, RpcFailure | MalformedAnswer> =>
    Effect.flatMap(post(request(1, method, params)), (answer) => parseReply(() => resultOf(method, answer)))

  const batchOf = (method: string, each: ReadonlyArray<Params>) =>
    Effect.flatMap(post(each.map((params, id) => request(id, method, params))), (answers) =>
      parseReply(() =>
        resultsOf(
          each.map(() => method),
          answers,
        ),
      ),
    )

  /** One method with several parameters, in as few requests as providers allow. */
  const batch = (
    method: string,
    each: ReadonlyArray<Params>,
  ): Effect.Effect<ReadonlyArray<unknown>, RpcFailure | MalformedAnswer> =>
    Effect.map(
      Effect.forEach(
        Array.from({ length: Math.ceil(each.length / maxBatch) }, (_, i) =>
          each.slice(i * maxBatch, (i + 1) * maxBatch),
        ),
        (part) => batchOf(method, part),
      ),
      (parts) => parts.flat(),
    )

  /** Several calls in one request; returns the answer unparsed. */
  const bytes = (calls: ReadonlyArray<{ readonly method: string; readonly params: Params }>) =>
    Effect.flatMap(address, (to) =>
      http.bytes("rpc", { url: to, body: calls.map(({ method, params }, id) => request(id, method, params)) }),
    )

  return { call, batch, bytes }
}

/** Retries malformed answers and transient errors. */
export const retryMalformed =
  (attempts: () => number) =>
  <A, E extends RpcFailure | ReaderDied, R>(effect: Effect.Effect<A, E | MalformedAnswer, R>) =>
    Effect.suspend(() =>
      effect.pipe(
        Effect.retry({
          times: attempts() - 1,
          schedule: Schedule.jittered(Schedule.exponential("100 millis")),
          while: (failure) =>
            failure instanceof MalformedAnswer ||
            (failure instanceof RpcRefusal && failure.isTransient && !isRangeTooLarge(failure)),
        }),
        Effect.catchTag("MalformedAnswer", ({ detail }) => Effect.fail(malformed(detail))),
      ),
    )
