import { Effect, Option, Schema } from "effect"
import { Redis, RedisFailure } from "#src/platform/redis/Redis.ts"
import { loadScript, type RunScript } from "#src/platform/redis/RedisScript.ts"
import { keys } from "../Keys.ts"
import { type RunResult, type SharedRun, SharedRunsFull } from "./model.ts"
import { pack } from "./packing.ts"
import { makePieceReader } from "./pieceReader.ts"

const file = (name: string) => new URL(`./lua/${name}.lua`, import.meta.url)
const script = (name: string) => loadScript(file("heldBytes"), file(name))
const scripts = {
  join: script("join"),
  renew: script("renew"),
  claim: script("claim"),
  append: script("append"),
  finish: script("finish"),
  leave: script("leave"),
  bytes: script("bytes"),
}

/** A waiter without a heartbeat for this long counts as crashed. */
const waiterMillis = 20_000
/** Longer than it takes until another worker gets the job of a crashed one. */
const runnerMillis = 30_000
/** Keys that no process touches for this long expire. */
const lifeMillis = 60_000

const json = Schema.fromJsonString(Schema.Json)
const toText = Schema.encodeSync(json)
const fromText = Schema.decodeSync(json)
const readEnd = (end: unknown) => (typeof end === "string" ? Option.some(fromText(end)) : Option.none())

/** Redis returns seconds and microseconds. */
const millisOf = (time: unknown) => (Array.isArray(time) ? Number(time[0]) * 1000 + Number(time[1]) / 1000 : 0)

/** A shared run as a waiter sees it. */
export interface RunState {
  /** Chunks so far. */
  readonly chunks: number
  /** Whether a live worker is on it. */
  readonly isTaken: boolean
  readonly end: Option.Option<Schema.Json>
  readonly failed: string | undefined
}

export type Renewal = "gone" | "waiting" | "taken"
const renewals: ReadonlyArray<Renewal> = ["gone", "waiting", "taken"]

/** Shared runs in Redis. */
export const makeSharedRunStore = Effect.gen(function* () {
  const redis = yield* Redis
  const keysOf = keys(redis.prefix)
  const client = yield* redis.reader("shared-runs")
  const readPieces = yield* makePieceReader(yield* redis.reader("pieces"))
  const held = [keysOf.sharedRunsHeld.bytes, keysOf.sharedRunsHeld.ends] as const

  const attempt = <A>(run: () => Promise<A>) =>
    Effect.tryPromise({ try: run, catch: (cause) => new RedisFailure({ cause }) })
  const call = (run: RunScript, names: ReadonlyArray<string>, args: ReadonlyArray<string | number | Buffer>) =>
    attempt(async () => {
      const [outcome] = await run(client, [{ keys: names, args }])
      if (outcome instanceof Error) throw outcome
      return outcome
    })
  const keysFor = ({ name, id }: SharedRun) => {
    const { current, state, chunks, waiters } = keysOf.sharedRun(name, id)
    return [current, state, chunks, waiters, ...held] as const
  }

  const leave = (run: SharedRun, waiter: string, how: "" | "forget" = "") =>
    call(scripts.leave, keysFor(run), [waiter, run.id, keysOf.sharedRunNews, how])

  return {
    /** Joins the run of this name, or creates one if the total stays below `mostBytes`. */
    join: Effect.fnUntraced(function* (name: string, waiter: string, newId: string, mostBytes?: number) {
      const args = [newId, waiter, waiterMillis, lifeMillis, mostBytes ?? ""]
      const answer = yield* call(scripts.join, [keysOf.sharedRun(name, "").current, ...held], args)
      if (!Array.isArray(answer)) return yield* new SharedRunsFull({ mostBytes: mostBytes ?? 0 })
      const [id, end] = answer
      return { run: { name, id: String(id) }, kept: readEnd(end) }
    }),
    renew: (run: SharedRun, waiter: string): Effect.Effect<Renewal, RedisFailure> =>
      Effect.map(
        call(scripts.renew, keysFor(run), [waiter, waiterMillis, lifeMillis, run.id, runnerMillis]),
        (answer) => renewals[Number(answer)] ?? "gone",
      ),
    leave: (run: SharedRun, waiter: string): Effect.Effect<void, RedisFailure> => Effect.asVoid(leave(run, waiter)),
    /** Later callers do not get this run; present waiters keep it until its end. */
    discard: (run: SharedRun): Effect.Effect<void, RedisFailure> => Effect.asVoid(leave(run, "", "forget")),
    /** Undefined when the run is gone. */
    state: Effect.fnUntraced(function* (run: SharedRun) {
      const [, state, chunks] = keysFor(run)
      const replies = yield* attempt(() =>
        client.multi().hmget(state, "id", "seen_at", "end", "failed").llen(chunks).time().exec(),
      )
      const failure = replies?.find(([error]) => error !== null)?.[0]
      if (failure) return yield* new RedisFailure({ cause: failure })
      const [[, fields] = [], [, count] = [], [, time] = []] = replies ?? []
      const [id, seenAt, end, failed] = Array.isArray(fields) ? fields : []
      if (typeof id !== "string") return undefined
      return {
        chunks: Number(count),
        isTaken: typeof seenAt === "string" && millisOf(time) - Number(seenAt) <= runnerMillis,
        end: readEnd(end),
        failed: typeof failed === "string" ? failed : undefined,
      } satisfies RunState
    }),
    /** Reads `count` stored chunks from one on; fewer when the run is gone. */
    read: (run: SharedRun, from: number, count: number): Effect.Effect<ReadonlyArray<Buffer>, RedisFailure> => {
      const [, , key] = keysFor(run)
      return readPieces(key, from, from + count - 1)
    },
    /** Claims the work; undefined when there is nothing to do. */
    claim: Effect.fnUntraced(function* (run: SharedRun, worker: string) {
      const [, state, chunks] = keysFor(run)
      const answer = yield* call(scripts.claim, [state, chunks], [worker])
      if (!Array.isArray(answer)) return undefined
      const position = answer[1] === "" ? Option.none() : Option.some(fromText(String(answer[1])))
      return { chunks: Number(answer[0]), position }
    }),
    /** Returns whether the work should continue. */
    append: Effect.fnUntraced(function* (
      run: SharedRun,
      worker: string,
      found?: { readonly chunk: Uint8Array; readonly position: Schema.Json },
    ) {
      const fixed = [worker, run.id, keysOf.sharedRunNews, lifeMillis]
      const args =
        found === undefined ? fixed : [...fixed, yield* attempt(() => pack(found.chunk)), toText(found.position)]
      return (yield* call(scripts.append, keysFor(run), args)) === 1
    }),
    finish: Effect.fnUntraced(function* (run: SharedRun, worker: string, { end, keep }: RunResult) {
      const { kind, millis, mostBytes } = keep ?? { kind: "none", millis: 0, mostBytes: 0 }
      const result = ["end", toText(end), Math.round(millis), mostBytes]
      const answer = yield* call(
        scripts.finish,
        [...keysFor(run), keysOf.sharedRunsKept(kind)],
        [worker, run.id, run.name, keysOf.sharedRunNews, ...result],
      )
      const gone = Array.isArray(answer) ? answer.map(String) : []
      for (let i = 0; i + 1 < gone.length; i += 2)
        yield* leave({ name: gone[i] ?? "", id: gone[i + 1] ?? "" }, "", "forget")
    }),
    /** Ends the run with a permanent failure. */
    fail: (run: SharedRun, reason: string): Effect.Effect<void, RedisFailure> =>
      Effect.asVoid(
        call(
          scripts.finish,
          [...keysFor(run), keysOf.sharedRunsKept("none")],
          ["", run.id, run.name, keysOf.sharedRunNews, "failed", reason, 0, 0],
        ),
      ),
    /** Bytes of all runs, including finished ones that are kept. */
    bytes: Effect.map(call(scripts.bytes, held, []), Number),
    /** Messages: `news <id>` for a new chunk or the end of a run, `gone <id>` for a run without waiters. */
    news: redis.subscribe(keysOf.sharedRunNews),
  }
})

export type SharedRunStore = Effect.Success<typeof makeSharedRunStore>
