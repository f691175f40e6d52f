import { Clock, Duration, Effect, Layer, Metric } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Endpoints } from "../Endpoints.ts"
import { BlockArrivalTimes } from "./BlockArrivalTimes.ts"
import { ChainNode, onlyHeader } from "./ChainNode.ts"
import { malformed } from "./failures.ts"
import type { BlockHeader } from "./header.ts"
import type { ChainLogs } from "./readLogs.ts"
import type { RangeRead } from "./readRange.ts"
import { maxAhead, stalledAfter } from "./settings.ts"
import { watchHead } from "./watchHead.ts"

type Node = ChainNode["Service"]

type TimeError = "changed" | "backwards" | "ahead" | "logs"

const wrongTimes = (kind: TimeError) =>
  Metric.counter("presage_chain_wrong_times_total", {
    description: "Answers of the node rejected because of wrong times",
    incremental: true,
    attributes: { kind },
  })

const reject = (kind: TimeError, detail: string) =>
  Effect.andThen(
    Metric.update(wrongTimes(kind), 1),
    Effect.logWarning(`rpc: ${detail}; ${kind === "ahead" ? "rejected" : "asking again"}`),
  )

/** Enough for a node with one wrong answer in ten. */
const attempts = 8
/** One address may serve several nodes, some of which lack the newest blocks. */
const retryMissingAfter = "50 millis"

type BlockTime = Pick<BlockHeader, "number" | "hash" | "at">

/** One report per block: an answer that says the same twice confirms nothing. */
const distinct = (reported: ReadonlyArray<BlockTime>): ReadonlyArray<BlockTime> => [
  ...new Map(reported.map((block) => [`${block.hash} ${block.at}`, block])).values(),
]

/** Whether reported blocks match their headers. */
const agreesWith = (reported: ReadonlyArray<BlockTime>, headers: ReadonlyArray<BlockHeader | undefined>): boolean => {
  const byNumber = new Map(headers.flatMap((header) => (header === undefined ? [] : [[header.number, header]])))
  return reported.every(({ number, hash, at }) => {
    const header = byNumber.get(number)
    return header !== undefined && header.hash === hash && header.at === at
  })
}

/** Confirms block times by two equal answers, and rejects times that run backwards. */
const makeConsistent = Effect.fnUntraced(function* (node: Node) {
  const config = yield* Configuration
  const { isSimulated } = yield* Endpoints
  const times = new BlockArrivalTimes()
  const watch = watchHead(() => config.get(stalledAfter))
  let highest = 0
  let newest: BlockHeader | undefined

  const revised = ({ number }: BlockTime) =>
    malformed(`block ${number} has another time than the confirmed one: stored blocks are checked again`)

  /** Does not apply to the simulator, whose clock can be moved. */
  const refuseAhead = Effect.fnUntraced(function* (headers: ReadonlyArray<BlockHeader>) {
    if (isSimulated) return
    const limit = config.get(maxAhead)
    const latest = (yield* Clock.currentTimeMillis) + Duration.toMillis(limit)
    const early = headers.find(({ at }) => at > latest)
    if (early === undefined) return
    const detail = `block ${early.number} is more than ${Duration.format(limit)} ahead of this machine's clock: one of the two clocks is wrong`
    yield* reject("ahead", detail)
    return yield* malformed(detail)
  })

  /** Whether all of these times are confirmed. */
  const areConfirmed = Effect.fnUntraced(function* (headers: ReadonlyArray<BlockTime>) {
    const checks = headers.map((header) => ({ header, check: times.record(header) }))
    const changed = checks.find(({ check }) => check === "contradicted")
    if (changed !== undefined) yield* reject("changed", `block ${changed.header.number} has two times`)
    const other = checks.find(({ check }) => check === "revised")
    if (other !== undefined) return yield* revised(other.header)
    return checks.every(({ check }) => check === "confirmed")
  })

  const headers: Node["headers"] = Effect.fnUntraced(function* (numbers) {
    let requested = numbers
    for (let attempt = 0; attempt < attempts; attempt++) {
      const answer = yield* node.headers(requested)
      const found = answer.filter((header) => header !== undefined)
      const isConfirmed = yield* areConfirmed(found)
      const isMissing = answer.some((header, i) => header === undefined && (requested[i] ?? 0) <= highest)
      if (isMissing && attempt + 1 < attempts) {
        yield* Effect.sleep(retryMissingAfter)
        continue
      }
      if (!isConfirmed) continue
      const early = found.find((header) => times.isBeforeParent(header))
      if (early === undefined) {
        yield* refuseAhead(found)
        return answer.slice(0, numbers.length)
      }
      yield* reject("backwards", `block ${early.number} is older than the one before it`)
      // Either of the two may be wrong.
      if (!requested.includes(early.number - 1)) requested = [...requested, early.number - 1]
    }
    return yield* malformed("the times of blocks contradict each other in every answer")
  })

  /** Repeats a read while its logs have other times than their blocks. */
  const untilConsistent = <A extends object | undefined, E, E2>(
    read: Effect.Effect<A, E>,
    isConsistent: (read: NonNullable<A>) => Effect.Effect<boolean, E2>,
  ) =>
    Effect.gen(function* () {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const answer = yield* read
        if (answer === undefined || (yield* isConsistent(answer))) return answer
        yield* reject("logs", "logs have other times than their blocks")
      }
      return yield* malformed("logs have other times than their blocks in every answer")
    })

  /** Either all times of an answer are wrong or none: checking its ends is enough. It counts as one of the two answers. */
  const isRangeConsistent = Effect.fnUntraced(function* (read: RangeRead) {
    if (!read.isConsistent) return false
    const reported = distinct([...read.ends, read.header])
    if (yield* areConfirmed(reported)) return true
    const numbers = [...new Set(reported.map(({ number }) => number))]
    return agreesWith(reported, yield* headers(numbers))
  })

  const blocksOf = ({ logs }: ChainLogs) =>
    distinct(logs.map(({ block, blockHash, at }) => ({ number: block, hash: blockHash, at })))

  /**
   * Reads the logs of blocks whose times are not confirmed yet, such as the newest one. The logs confirm their own; other
   * blocks are asked for. Undefined if something disagrees: the headers may be wrong as well as the logs.
   */
  const doubtfulLogs = Effect.fnUntraced(function* (
    blocks: ReadonlyArray<BlockHeader>,
    doubtful: ReadonlyArray<BlockHeader>,
  ) {
    const read = yield* node.blockLogs(blocks)
    if (read === undefined) return undefined
    const reported = blocksOf(read)
    yield* areConfirmed(reported)
    if (!agreesWith(reported, blocks)) {
      yield* reject("logs", "logs have other times than their blocks")
      return undefined
    }
    const others = doubtful.filter((block) => !times.isConfirmed(block))
    const asked = others.length === 0 ? [] : yield* headers(others.map(({ number }) => number))
    if (!agreesWith(others, asked) || doubtful.some((block) => times.isBeforeParent(block))) return undefined
    yield* refuseAhead(doubtful)
    return read
  })

  return ChainNode.of({
    ...node,
    headers,
    header: (number) => onlyHeader(headers([number])),
    head: Effect.tap(node.head, (header) => {
      highest = Math.max(highest, header.number)
      // The same answer again confirms nothing.
      const record = header === newest ? Effect.void : areConfirmed([header])
      newest = header
      return Effect.andThen(record, watch(header))
    }),
    logs: (range, read) => untilConsistent(node.logs(range, read), isRangeConsistent),
    blockLogs: (blocks) => {
      const doubtful = blocks.filter((block) => !times.isConfirmed(block))
      return doubtful.length > 0
        ? doubtfulLogs(blocks, doubtful)
        : untilConsistent(node.blockLogs(blocks), (read) => Effect.succeed(agreesWith(blocksOf(read), blocks)))
    },
  })
})

/** The node that the ledger reads. */
export const consistentNode = Layer.effect(ChainNode, Effect.flatMap(ChainNode, makeConsistent)).pipe(
  Layer.provide(ChainNode.layer),
)
