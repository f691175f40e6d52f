import { Effect, Schedule } from "effect"
import type { UpstreamHttp } from "../Http.ts"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { isRangeTooLarge, malformed, OddAnswer, type RpcFailure, RpcRefusal } from "./failures.ts"

type Params = ReadonlyArray<unknown>
type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A field of something that may be no object. */
export const fieldOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

const request = (id: number, method: string, params: Params) => ({ jsonrpc: "2.0", id, method, params })

/** What one answer brings, or what it says instead. */
const resultOf = (method: string, answer: unknown): Effect.Effect<unknown, RpcRefusal | OddAnswer> => {
  if (!isObject(answer)) return Effect.fail(new OddAnswer({ detail: `${method}: no object` }))
  const { error } = answer
  if (isObject(error) && typeof error["code"] === "number") {
    return Effect.fail(new RpcRefusal({ method, code: error["code"], detail: String(error["message"]).slice(0, 300) }))
  }
  if (!("result" in answer)) return Effect.fail(new OddAnswer({ detail: `${method}: neither result nor error` }))
  return Effect.succeed(answer["result"])
}

/**
 * The last blocks of ranges of logs. A node that does not have them yet leaves out their logs without a word; asked for
 * them in the same request, it tells.
 */
const lastBlocksOf = (each: ReadonlyArray<Params>): ReadonlyArray<unknown> => [
  ...new Set(each.map(([filter]) => fieldOf(filter, "toBlock")).filter((block) => block !== undefined)),
]

/** Providers take no more in one batch. */
const largestBatch = 100

/** JSON-RPC with a node over HTTP. */
export const makeRpc = (http: UpstreamHttp["Service"], url: string | undefined) => {
  const post = (body: unknown): Effect.Effect<unknown, UpstreamFailure> =>
    url === undefined
      ? Effect.fail(
          new UpstreamFailure({
            upstream: "rpc",
            reason: "unreachable",
            detail: "no node is configured: set UPSTREAM_RPC_URL",
          }),
        )
      : http.json("rpc", { url, body })

  const call = (method: string, params: Params): Effect.Effect<unknown, RpcFailure | OddAnswer> =>
    Effect.flatMap(post(request(1, method, params)), (answer) => resultOf(method, answer))

  const one = (method: string, each: ReadonlyArray<Params>) =>
    Effect.gen(function* () {
      const witnesses = method === "eth_getLogs" ? lastBlocksOf(each) : []
      const answers = yield* post([
        ...each.map((params, id) => request(id, method, params)),
        ...witnesses.map((block, i) => request(each.length + i, "eth_getBlockByNumber", [block, false])),
      ])
      // A batch that is refused as a whole has one answer.
      if (!Array.isArray(answers)) {
        yield* resultOf(method, answers)
        return yield* new OddAnswer({ detail: `${method}: no list of answers` })
      }
      // In whatever order the node likes.
      const byId = new Map<unknown, unknown>(answers.map((answer) => [fieldOf(answer, "id"), answer]))
      const results = yield* Effect.forEach(each, (_, id) => resultOf(method, byId.get(id)))
      for (const [i, block] of witnesses.entries()) {
        const header = yield* resultOf("eth_getBlockByNumber", byId.get(each.length + i))
        if (header === null)
          return yield* new OddAnswer({ detail: `${method}: the node does not have block ${block} yet` })
      }
      return results
    })

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

  return { call, batch }
}

/** Asks again while the answer makes no sense or the node had an accident. */
export const untilSound =
  (attempts: () => number) =>
  <A, E extends RpcFailure, R>(effect: Effect.Effect<A, E | OddAnswer, R>) =>
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
