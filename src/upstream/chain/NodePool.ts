import { Clock, Duration, Effect, Random, Result } from "effect"
import { UpstreamFailure } from "../UpstreamFailure.ts"
import { MalformedAnswer, malformed, ReaderDied, type RpcFailure, RpcRefusal, refusalOf } from "./failures.ts"
import type { NodeLimits } from "./NodeLimits.ts"
import type { Rpc } from "./rpc.ts"

/** One of the configured nodes, and what is known about it. */
export interface PooledNode extends Rpc {
  readonly label: string
  readonly limits: NodeLimits
  /** Its newest block, as far as known. */
  head: number
  /** When that was read, in milliseconds. */
  headAt: number
  /** First block whose logs it has, as far as known. */
  oldest: number
  /** It is not asked before this moment if another node can be asked. */
  avoidUntil: number
  avoidMillis: number
  /** Undefined until it has said which chain it is on. */
  isRightChain: boolean | undefined
}

/** What a node must have to be asked. */
export interface Need {
  readonly from?: number
  /** The newest block. */
  readonly block?: number
  /** Blocks in a range. */
  readonly blocks?: number
}

type Failure = RpcFailure | MalformedAnswer | ReaderDied

const initialAvoidMillis = 1_000
const maxAvoidMillis = 60_000

const backOff = [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000]
const lagBackOff = [100, 200, 400, 800, 1_600, 2_000]

/** The delay after some failures, with jitter. */
const pause = (delays: ReadonlyArray<number>, failures: number) =>
  Effect.flatMap(Random.nextBetween(0.8, 1.2), (share) =>
    Effect.sleep((delays[Math.min(failures, delays.length) - 1] ?? 0) * share),
  )

const isOutage = (failure: Failure) =>
  failure instanceof UpstreamFailure && (failure.isOutage || failure.reason === "circuit-open")

/** How a failure is dealt with: it passes after a while, it may pass, or it stays. */
const kindOf = (failure: Failure): "waits" | "transient" | "permanent" => {
  if (failure instanceof MalformedAnswer) return "transient"
  if (failure instanceof ReaderDied) return "permanent"
  const meaning = refusalOf(failure)?.meaning
  if (meaning === "rate-limited" || meaning === "lagging") return "waits"
  return failure.isTransient ? "transient" : "permanent"
}

export interface PoolOptions {
  /** Checks a node before its first use. */
  readonly verify: (node: PooledNode) => Effect.Effect<void, Failure>
  readonly attempts: () => number
  /** How long a node that lags or limits requests is asked again. */
  readonly patience: () => Duration.Duration
}

/** Asks the node that can answer best, and another one if that fails. */
export const makeNodePool = (nodes: ReadonlyArray<PooledNode>, { verify, attempts, patience }: PoolOptions) => {
  const shortcomings = (node: PooledNode, { from, block, blocks }: Need, now: number): ReadonlyArray<boolean> => [
    node.isRightChain === false,
    node.avoidUntil > now,
    block !== undefined && node.head > 0 && node.head < block,
    from !== undefined && from < node.oldest,
    blocks !== undefined && blocks > (node.limits.blocks ?? blocks),
    node.limits.pausedUntil > now,
  ]

  const best = (need: Need, tried: ReadonlyMap<PooledNode, number>, now: number): PooledNode | undefined => {
    const ranked = nodes
      .filter(({ isRightChain }) => isRightChain !== false)
      .map((node) => ({ node, rank: [tried.get(node) ?? 0, ...shortcomings(node, need, now).map(Number)] }))
    ranked.sort((a, b) => {
      const differing = a.rank.findIndex((value, i) => value !== b.rank[i])
      return differing < 0 ? 0 : (a.rank[differing] ?? 0) - (b.rank[differing] ?? 0)
    })
    return ranked[0]?.node
  }

  const learn = (node: PooledNode, failure: Failure, { from }: Need, now: number) => {
    if (isOutage(failure)) {
      node.avoidUntil = now + node.avoidMillis
      node.avoidMillis = Math.min(maxAvoidMillis, node.avoidMillis * 2)
    }
    const isPruned = failure instanceof RpcRefusal && failure.refusal?.meaning === "pruned"
    if (isPruned && from !== undefined) node.oldest = Math.max(node.oldest, from + 1)
  }

  const succeeded = (node: PooledNode) => {
    node.avoidUntil = 0
    node.avoidMillis = initialAvoidMillis
  }

  /** Whether another node may answer what this one refused. */
  const mayAnswer = (other: PooledNode, failure: Failure, { blocks = 0 }: Need): boolean => {
    if (failure instanceof ReaderDied || other.isRightChain === false) return false
    const refusal = failure instanceof MalformedAnswer ? undefined : refusalOf(failure)
    switch (refusal?.meaning) {
      // Otherwise the range has too many logs for any node.
      case "too-wide":
        return refusal.maxBlocks !== undefined && blocks <= (other.limits.blocks ?? blocks)
      case "too-slow":
        return blocks <= 1
      default:
        return true
    }
  }

  /** Runs an operation on the best node, repeatedly while that may help. */
  const run = Effect.fnUntraced(function* <A, E extends Failure>(
    operation: (node: PooledNode) => Effect.Effect<A, E | MalformedAnswer>,
    need: Need = {},
  ): Effect.fn.Return<A, Exclude<E, MalformedAnswer> | RpcFailure> {
    const tried = new Map<PooledNode, number>()
    const began = yield* Clock.currentTimeMillis
    const deadline = began + Duration.toMillis(patience())
    for (let failures = 1; ; failures++) {
      const node = best(need, tried, yield* Clock.currentTimeMillis)
      if (node === undefined) return yield* noNode(nodes.length)
      const verified = node.isRightChain === undefined ? verify(node) : Effect.void
      const result = yield* Effect.result(Effect.andThen(verified, operation(node)))
      if (Result.isSuccess(result)) {
        succeeded(node)
        return result.success
      }
      const { failure } = result
      const now = yield* Clock.currentTimeMillis
      learn(node, failure, need, now)
      tried.set(node, (tried.get(node) ?? 0) + 1)
      if (nodes.some((other) => !tried.has(other) && mayAnswer(other, failure, need))) continue
      const kind = kindOf(failure)
      const isOver = kind === "waits" ? now >= deadline : failures >= Math.max(attempts(), tried.size)
      const isSplit = isTooWideFor(failure, need)
      if (kind === "permanent" || isSplit || isOver) {
        if (failure instanceof MalformedAnswer) return yield* malformed(failure.detail)
        return yield* Effect.fail(failure as Exclude<E, MalformedAnswer>)
      }
      yield* pause(kind === "waits" ? lagBackOff : backOff, failures)
    }
  })

  return { nodes, run }
}

/** Whether a smaller range is better than another attempt. */
const isTooWideFor = (failure: Failure, { blocks = 1 }: Need): boolean => {
  if (failure instanceof MalformedAnswer || failure instanceof ReaderDied || blocks === 1) return false
  const meaning = refusalOf(failure)?.meaning
  return meaning === "too-wide" || meaning === "too-slow"
}

const noNode = (configured: number) =>
  new UpstreamFailure({
    upstream: "rpc",
    reason: "unreachable",
    detail:
      configured === 0
        ? "no node is configured: set UPSTREAM_RPC_URL"
        : "every node in UPSTREAM_RPC_URL is on another chain than Polygon",
  })

export const pooledNode = (label: string, limits: NodeLimits, rpc: Rpc): PooledNode => ({
  ...rpc,
  label,
  limits,
  head: 0,
  headAt: 0,
  oldest: 0,
  avoidUntil: 0,
  avoidMillis: initialAvoidMillis,
  isRightChain: undefined,
})
