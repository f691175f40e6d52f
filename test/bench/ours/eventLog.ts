import { Effect, Random, Stream } from "effect"
import { EventLog, type NewEvent } from "#src/mesh/EventLog.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type EventLogSubject, perTransaction, type Variant, writers } from "../support/eventLog.ts"
import { expose } from "../support/expose.ts"
import { foundationRuntime } from "./foundation.ts"

const runtime = foundationRuntime()
const { log, postgres } = await runtime.runPromise(Effect.all({ log: EventLog, postgres: Postgres }))
const { sql, tx } = postgres

/** Comparable across processes on one machine. */
const now = () => performance.timeOrigin + performance.now()

const events: ReadonlyArray<NewEvent> = Array.from({ length: perTransaction }, (_, i) => ({
  kind: "fill",
  ref: BigInt(70_000_000 + i),
  sub: i,
}))
const rows = events.map(({ kind, ref, sub }) => ({ kind, ref: ref ?? null, sub: sub ?? null, data: null }))
const insert = bulkInsert<(typeof rows)[number]>({
  table: "event_log",
  columns: { kind: "text", ref: "int8", sub: "int4", data: "jsonb" },
})

const transactions: Record<Variant, Effect.Effect<unknown, unknown>> = {
  ours: tx(log.append(events)),
  unlocked: tx(Effect.andThen(insert(sql, rows), sql`select pg_notify('presage_event_log', '')`)),
  "insert only": tx(insert(sql, rows)),
}

const seen: Array<readonly [number, number]> = []

const follow = Effect.gen(function* () {
  let cursor = yield* log.head
  yield* Stream.runForEach(log.wakes("1 second"), () =>
    Effect.gen(function* () {
      const found = yield* log.read({ after: cursor, limit: 1000 })
      const at = now()
      for (const event of found) seen.push([Number(event.ref), at])
      cursor = found.at(-1)?.seq ?? cursor
    }),
  )
})

const appendOne = Effect.fnUntraced(function* (ref: number) {
  yield* Effect.sleep(yield* Random.nextIntBetween(3, 15))
  const startedAt = now()
  yield* tx(log.append([{ kind: "fill", ref: BigInt(ref) }]))
  return [ref, startedAt, now()] as const
})

expose<EventLogSubject>({
  write: async (variant, millis) => {
    const startedAt = performance.now()
    let written = 0
    const writer = Effect.gen(function* () {
      while (performance.now() - startedAt < millis) {
        yield* transactions[variant]
        written += perTransaction
      }
    })
    await runtime.runPromise(
      Effect.forEach(Array.from({ length: writers }), () => writer, { concurrency: writers, discard: true }),
    )
    return (written * 1000) / (performance.now() - startedAt)
  },
  trickle: (count) =>
    runtime.runPromise(
      Effect.forEach(
        Array.from({ length: count }, (_, i) => i),
        appendOne,
      ),
    ),
  follow: async () => {
    runtime.runFork(follow)
    await runtime.runPromise(Effect.sleep("500 millis"))
  },
  seen: () => seen,
})
