import { Duration, Effect, Schema } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { Endpoints } from "../Endpoints.ts"
import { UpstreamHttp } from "../Http.ts"
import { limits } from "../settings.ts"
import { MalformedAnswer } from "./failures.ts"
import { keepLimits } from "./keepLimits.ts"
import { NodeLimits } from "./NodeLimits.ts"
import { makeNodePool, type PooledNode, pooledNode } from "./NodePool.ts"
import { makeRpc } from "./rpc.ts"
import { patience } from "./settings.ts"

const polygon = 137

/** A configured node is on another chain. */
export class WrongChain extends Schema.TaggedError<WrongChain>()("WrongChain", {
  node: Schema.String,
  chain: Schema.String,
}) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return `the node ${this.node} in UPSTREAM_RPC_URL is on chain ${this.chain}; the venue is on Polygon, chain ${polygon}. Use a node of Polygon`
  }
}

/** Hosts, numbered where several addresses have the same. Paths and passwords are secret. */
export const labelsOf = (urls: ReadonlyArray<string>): ReadonlyArray<string> => {
  const hosts = urls.map((url) => new URL(url).host)
  return hosts.map((host, i) => {
    const before = hosts.slice(0, i).filter((other) => other === host).length
    return before === 0 ? host : `${host}#${before + 1}`
  })
}

/** Longest wait at start for the chains of the nodes; those that do not answer are checked before they are used. */
const startTimeout = Duration.seconds(5)

const chainOf = (node: PooledNode) => Effect.map(node.call("eth_chainId", []), (id) => String(Number(id)))

/** The configured nodes. Fails if one is on another chain. */
export const configuredNodes = Effect.gen(function* () {
  const config = yield* Configuration
  const http = yield* UpstreamHttp
  const { rpc: urls, isSimulated } = yield* Endpoints
  const labels = labelsOf(urls)
  const known = urls.map((url) => ({ url, limits: new NodeLimits(() => config.get(limits.rpc.concurrency)) }))
  yield* keepLimits(known)
  const nodes = known.map(({ url, limits: learnt }, i) => {
    const label = labels[i] ?? url
    return pooledNode(label, learnt, makeRpc(http, { url, label }, learnt))
  })

  const check = Effect.fnUntraced(function* (node: PooledNode) {
    const chain = yield* chainOf(node)
    node.isRightChain = chain === String(polygon)
    if (!node.isRightChain) return yield* new WrongChain({ node: node.label, chain })
  })
  const checkNow = (node: PooledNode) =>
    check(node).pipe(
      Effect.catchIf(
        (failure) => failure._tag !== "WrongChain",
        () => Effect.void,
      ),
      Effect.timeoutOption(startTimeout),
    )
  if (!isSimulated) yield* Effect.forEach(nodes, checkNow, { concurrency: "unbounded", discard: true })

  const checkLater = (node: PooledNode) =>
    Effect.catchTag(check(node), "WrongChain", (failure) =>
      Effect.andThen(Effect.logError(failure.message), new MalformedAnswer({ detail: failure.message })),
    )

  return makeNodePool(nodes, {
    attempts: () => config.get(limits.rpc.attempts),
    patience: () => config.get(patience),
    verify: isSimulated ? () => Effect.void : checkLater,
  })
})
