import { Array as Arr, Clock, Effect, Schedule, Schema, Stream } from "effect"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { MalformedAnswer } from "#src/upstream/chain/failures.ts"
import { allLogs, isWanted, watchedContracts } from "#src/upstream/chain/logFilters.ts"
import { configuredNodes } from "#src/upstream/chain/nodes.ts"
import type { RpcCall } from "#src/upstream/chain/rpc.ts"
import { BadRecording, type ChainLine, RawBlock, type RawLog } from "./model.ts"

/** Blocks of one request for logs. */
const blocksAtOnce = 16

const quantity = (value: number) => `0x${value.toString(16)}`
const byNumber = (block: string): RpcCall => ({ method: "eth_getBlockByNumber", params: [block, false] })
const logsOf = ({ hash }: RawBlock): RpcCall => ({ method: "eth_getLogs", params: [{ blockHash: hash, ...allLogs }] })

const venue = new Set(watchedContracts)

/** Every log of the venue's contracts, and of other contracts what the ledger needs. */
const isKept = (log: RawLog) => venue.has(log.address.toLowerCase()) || isWanted(log)

const decodeBlocks = Schema.decodeUnknownEffect(Schema.Array(Schema.NullOr(RawBlock)))
const decodeLogs = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Array(
      Schema.StructWithRest(Schema.Struct({ address: Schema.String, topics: Schema.Array(Schema.String) }), [
        Schema.Record(Schema.String, Schema.Unknown),
      ]),
    ),
  ),
)

const malformed = (error: { readonly message: string }) => new MalformedAnswer({ detail: error.message })

/** Raw answers of the configured nodes. */
const rawNode = Effect.map(configuredNodes, (pool) => {
  const ask = (calls: ReadonlyArray<RpcCall>, block?: number) =>
    pool.run((node) => node.batch(calls), block === undefined ? {} : { block })
  const blocks = (names: ReadonlyArray<string>) =>
    pool.run((node) =>
      Effect.flatMap(node.batch(names.map(byNumber)), (found) => Effect.mapError(decodeBlocks(found), malformed)),
    )
  const logs = (of: ReadonlyArray<RawBlock>) =>
    pool.run(
      (node) => Effect.flatMap(node.batch(of.map(logsOf)), (found) => Effect.mapError(decodeLogs(found), malformed)),
      { block: Math.max(...of.map(({ number }) => Number(number))) },
    )
  const call = (params: ReadonlyArray<unknown>) =>
    Effect.map(ask([{ method: "eth_call", params }]), ([result]) => result)
  return { blocks, logs, call }
})

type Write = (line: ChainLine) => void

const writeBlocks = (node: Effect.Success<typeof rawNode>, write: Write, atOf: (block: RawBlock) => number) =>
  Effect.fnUntraced(function* (blocks: ReadonlyArray<RawBlock>) {
    for (const part of Arr.chunksOf(blocks, blocksAtOnce)) {
      const logs = yield* node.logs(part)
      for (const [i, block] of part.entries()) write({ at: atOf(block), block, logs: (logs[i] ?? []).filter(isKept) })
    }
  })

const writeEarliest = Effect.fnUntraced(function* (node: Effect.Success<typeof rawNode>, write: Write) {
  const [earliest] = yield* node.blocks(["earliest"])
  if (earliest) write({ at: yield* Clock.currentTimeMillis, earliest })
})

const rangeOf = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => quantity(from + i))

const timeOf = ({ timestamp }: RawBlock) => Number(timestamp) * 1000

/** Records finished blocks, at the times at which they were made. Returns the first and last of these times. */
export const recordRange = Effect.fnUntraced(function* (from: number, count: number, write: Write) {
  const node = yield* rawNode
  yield* writeEarliest(node, write)
  const store = writeBlocks(node, write, timeOf)
  const times: Array<number> = []
  for (const names of Arr.chunksOf(rangeOf(from, from + count - 1), blocksAtOnce)) {
    const found = yield* node.blocks(names)
    const missing = found.indexOf(null)
    if (missing >= 0)
      return yield* new BadRecording({ problem: `the node does not have block ${Number(names[missing])}` })
    const blocks = found.filter((block) => block !== null)
    yield* store(blocks)
    times.push(...blocks.map(timeOf))
  }
  return { startedAt: Math.min(...times), endedAt: Math.max(...times), call: node.call }
})

const finalizedEvery = "10 seconds"

/** Blocks before the head: as many as a new ledger begins with. */
const blocksBefore = 64

/** The first block of a recording of what arrives. */
export const blockBeforeHead = Effect.gen(function* () {
  const { head, earliest } = yield* ChainNode
  return Math.max((yield* head).number - blocksBefore, (yield* earliest)?.number ?? 0)
})

/** Records blocks as they arrive, from this one on. Never ends. */
export const recordHeads = Effect.fnUntraced(function* (first: number, write: Write) {
  const node = yield* rawNode
  const { heads, head } = yield* ChainNode
  yield* writeEarliest(node, write)
  const recorded = new Map<number, string>()
  const startedAt = yield* Clock.currentTimeMillis
  let last = first - 1

  const store = Effect.fnUntraced(function* (blocks: ReadonlyArray<RawBlock>, at: number) {
    yield* writeBlocks(node, write, () => at)(blocks)
    for (const { number, hash } of blocks) recorded.set(Number(number), hash)
    last = Number(blocks.at(-1)?.number ?? last)
  })

  /** The blocks up to this one that are not recorded, or were replaced. Empty if the node answers from two chains. */
  const next = Effect.fnUntraced(function* (to: number) {
    let chain = (yield* node.blocks(rangeOf(last + 1, to))).filter((block) => block !== null)
    for (;;) {
      const first = chain[0]
      if (first === undefined) return []
      const parent = Number(first.number) - 1
      const isLinked = !recorded.has(parent) || recorded.get(parent) === first.parentHash
      if (isLinked) break
      const [replaced] = yield* node.blocks([quantity(parent)])
      if (!replaced || replaced.hash !== first.parentHash) return []
      chain = [replaced, ...chain]
    }
    const isBroken = chain.some((block, i) => i > 0 && block.parentHash !== chain[i - 1]?.hash)
    return isBroken ? [] : chain
  })

  const catchUp = Effect.fnUntraced(function* (at: number) {
    const to = (yield* head).number
    // A head below the last block is a reorganisation that shortened the chain for a moment; its blocks come again.
    const known = recorded.get(to)
    const [current] = known === undefined ? [] : yield* node.blocks([quantity(to)])
    if (current && current.hash !== known) last = to - 1
    while (last < to) {
      const blocks = yield* next(Math.min(to, last + blocksAtOnce))
      if (blocks.length === 0) return
      yield* store(blocks, at)
    }
  })

  const finalized = Effect.gen(function* () {
    const [block] = yield* node.blocks(["finalized"])
    if (block) write({ at: yield* Clock.currentTimeMillis, finalized: Number(block.number) })
  })

  const retried = <A, E>(work: Effect.Effect<A, E>) =>
    Effect.retry(
      Effect.tapError(work, (error) => Effect.logWarning(`failed to record blocks: ${String(error)}`)),
      Schedule.spaced("1 second"),
    )
  yield* retried(catchUp(startedAt))
  yield* Effect.forkScoped(Effect.repeat(Effect.ignore(finalized), Schedule.spaced(finalizedEvery)))
  yield* Stream.runForEach(heads, () => Effect.flatMap(Clock.currentTimeMillis, (at) => retried(catchUp(at))))
})
