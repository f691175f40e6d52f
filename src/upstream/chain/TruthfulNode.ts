import { Clock, Duration, Effect, Layer, Metric } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Endpoints } from "../Endpoints.ts"
import { ChainNode } from "./ChainNode.ts"
import { malformed } from "./failures.ts"
import { HeardTimes } from "./HeardTimes.ts"
import type { BlockHeader } from "./header.ts"
import { agreesWith } from "./logTimes.ts"
import type { ChainLogs } from "./readLogs.ts"
import type { RangeRead } from "./readRange.ts"
import { mostAhead, stalledAfter } from "./settings.ts"
import { watchHead } from "./watchHead.ts"

type Node = ChainNode["Service"]

/** How a time was found to be wrong. */
type Lie = "changed" | "backwards" | "ahead" | "logs"

const lies = (kind: Lie) =>
  Metric.counter("presage_chain_wrong_times_total", {
    description: "Answers of the node that were not believed, because of the times in them",
    incremental: true,
    attributes: { kind },
  })

const doubted = (kind: Lie, detail: string) =>
  Effect.andThen(
    Metric.update(lies(kind), 1),
    Effect.logWarning(`rpc: ${detail}; ${kind === "ahead" ? "it is not believed" : "asking again"}`),
  )

/** Enough for a node of which every tenth answer is wrong. */
const attempts = 8
/** Behind one address may be several nodes, of which some do not have the newest blocks yet. */
const beforeAskingAnother = "50 millis"

/** A node whose times are believed once two answers agree on them, and only while they do not run backwards. */
const truthful = Effect.fnUntraced(function* (node: Node) {
  const config = yield* Configuration
  const { isSimulated } = yield* Endpoints
  const heard = new HeardTimes()
  const watch = watchHead(() => config.get(stalledAfter))
  let highest = 0

  const revised = ({ number }: BlockHeader) =>
    malformed(`another time of block ${number} than was believed before: what was written is looked at again`)

  /** The simulated venue's clock can be moved by hand, so it is no lie there. */
  const refuseAhead = Effect.fnUntraced(function* (headers: ReadonlyArray<BlockHeader>) {
    if (isSimulated) return
    const limit = config.get(mostAhead)
    const latest = (yield* Clock.currentTimeMillis) + Duration.toMillis(limit)
    const early = headers.find(({ at }) => at > latest)
    if (early === undefined) return
    const detail = `block ${early.number} is more than ${Duration.format(limit)} ahead of this machine's clock: one of the two clocks is wrong`
    yield* doubted("ahead", detail)
    return yield* malformed(detail)
  })

  /** Whether all of this was said before, in which case it counts. */
  const isCertain = Effect.fnUntraced(function* (headers: ReadonlyArray<BlockHeader>) {
    const hearings = headers.map((header) => ({ header, hearing: heard.hear(header) }))
    const changed = hearings.find(({ hearing }) => hearing === "contradicted")
    if (changed !== undefined) yield* doubted("changed", `block ${changed.header.number} has two times`)
    const other = hearings.find(({ hearing }) => hearing === "revised")
    if (other !== undefined) return yield* revised(other.header)
    return hearings.every(({ hearing }) => hearing === "confirmed")
  })

  const headers: Node["headers"] = Effect.fnUntraced(function* (numbers) {
    let asked = numbers
    for (let attempt = 0; attempt < attempts; attempt++) {
      const answer = yield* node.headers(asked)
      const found = answer.filter((header) => header !== undefined)
      const isSure = yield* isCertain(found)
      const isLacking = answer.some((header, i) => header === undefined && (asked[i] ?? 0) <= highest)
      if (isLacking && attempt + 1 < attempts) {
        yield* Effect.sleep(beforeAskingAnother)
        continue
      }
      if (!isSure) continue
      const early = found.find((header) => heard.isBeforeParent(header))
      if (early === undefined) {
        yield* refuseAhead(found)
        return answer.slice(0, numbers.length)
      }
      yield* doubted("backwards", `block ${early.number} is older than the one before it`)
      // Either of the two may be what is wrong.
      if (!asked.includes(early.number - 1)) asked = [...asked, early.number - 1]
    }
    return yield* malformed("the times of blocks contradict each other in every answer")
  })

  /** Asks again while the logs have times that their blocks do not have. */
  const untilTimed = <A extends object | undefined, E, E2>(
    read: Effect.Effect<A, E>,
    isSound: (read: NonNullable<A>) => Effect.Effect<boolean, E2>,
  ) =>
    Effect.gen(function* () {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const answer = yield* read
        if (answer === undefined || (yield* isSound(answer))) return answer
        yield* doubted("logs", "logs have other times than their blocks")
      }
      return yield* malformed("logs have other times than their blocks in every answer")
    })

  /** One answer is wrong about all its times or about none; its ends are enough. */
  const isRangeSound = (read: RangeRead) => {
    if (!read.isConsistent) return Effect.succeed(false)
    const told = [...read.ends, read.header]
    const numbers = [...new Set(told.map(({ number }) => number))]
    return Effect.map(headers(numbers), (blocks) => agreesWith(told, blocks))
  }

  const areBlocksSound = (blocks: ReadonlyArray<BlockHeader>) => (read: ChainLogs) => {
    const told = read.logs.map(({ block, blockHash, at }) => ({ number: block, hash: blockHash, at }))
    return Effect.succeed(agreesWith(told, blocks))
  }

  return ChainNode.of({
    ...node,
    headers,
    header: (number) => Effect.map(headers([number]), ([header]) => header),
    head: Effect.tap(node.head, (header) => {
      highest = Math.max(highest, header.number)
      return Effect.andThen(isCertain([header]), watch(header))
    }),
    logs: (range, read) => untilTimed(node.logs(range, read), isRangeSound),
    blockLogs: (blocks) => untilTimed(node.blockLogs(blocks), areBlocksSound(blocks)),
  })
})

/** The node as the ledger reads it. */
export const truthfulNode = Layer.effect(ChainNode, Effect.flatMap(ChainNode, truthful)).pipe(
  Layer.provide(ChainNode.layer),
)
