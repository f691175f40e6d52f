import { Effect, Option, Schema } from "effect"
import { Redis, RedisFailure } from "#src/platform/redis/Redis.ts"
import { loadScript, type RunScript } from "#src/platform/redis/RedisScript.ts"
import { keys } from "../Keys.ts"
import { type Flight, FlightsFull, type Landing } from "./model.ts"
import { pack } from "./packing.ts"
import { makePieceReader } from "./pieceReader.ts"

const file = (name: string) => new URL(`./lua/${name}.lua`, import.meta.url)
const script = (name: string) => loadScript(file("held"), file(name))
const scripts = {
  join: script("join"),
  renew: script("renew"),
  board: script("board"),
  append: script("append"),
  land: script("land"),
  leave: script("leave"),
  bytes: script("bytes"),
}

/** After this a waiter that does not say it is there is taken for one that crashed. */
const waiterMillis = 20_000
/** Longer than it takes until a job of a worker that crashed is given to another one. */
const flyerMillis = 30_000
/** What nobody touches for so long is forgotten, whoever crashed when. */
const lifeMillis = 60_000

const json = Schema.fromJsonString(Schema.Json)
const toText = Schema.encodeSync(json)
const fromText = Schema.decodeSync(json)
const readEnd = (end: unknown) => (typeof end === "string" ? Option.some(fromText(end)) : Option.none())

/** Redis tells seconds and microseconds. */
const millisOf = (time: unknown) => (Array.isArray(time) ? Number(time[0]) * 1000 + Number(time[1]) / 1000 : 0)

/** What a waiter sees of a flight at one moment. */
export interface Sight {
  /** How many pieces there are. */
  readonly chunks: number
  /** Whether somebody is at work on it, who said so not long ago. */
  readonly isTaken: boolean
  readonly end: Option.Option<Schema.Json>
  readonly failed: string | undefined
}

export type Renewal = "gone" | "waiting" | "taken"
const renewals: ReadonlyArray<Renewal> = ["gone", "waiting", "taken"]

/** Flights as they are in Redis. */
export const makeFlightStore = Effect.gen(function* () {
  const redis = yield* Redis
  const keysOf = keys(redis.prefix)
  const client = yield* redis.reader("flights")
  const readPieces = yield* makePieceReader(yield* redis.reader("pieces"))
  const held = [keysOf.flightsHeld.bytes, keysOf.flightsHeld.ends] as const

  const attempt = <A>(run: () => Promise<A>) =>
    Effect.tryPromise({ try: run, catch: (cause) => new RedisFailure({ cause }) })
  const call = (run: RunScript, names: ReadonlyArray<string>, args: ReadonlyArray<string | number | Buffer>) =>
    attempt(async () => {
      const [outcome] = await run(client, [{ keys: names, args }])
      if (outcome instanceof Error) throw outcome
      return outcome
    })
  const keysFor = ({ name, id }: Flight) => {
    const { current, state, chunks, waiters } = keysOf.flight(name, id)
    return [current, state, chunks, waiters, ...held] as const
  }

  const leave = (flight: Flight, waiter: string, how: "" | "forget" = "") =>
    call(scripts.leave, keysFor(flight), [waiter, flight.id, keysOf.flightNews, how])

  return {
    /** The flight of this name, which is a new one where there is none, if all hold less than they may. */
    join: Effect.fnUntraced(function* (name: string, waiter: string, newId: string, mostBytes?: number) {
      const args = [newId, waiter, waiterMillis, lifeMillis, mostBytes ?? ""]
      const answer = yield* call(scripts.join, [keysOf.flight(name, "").current, ...held], args)
      if (!Array.isArray(answer)) return yield* new FlightsFull({ mostBytes: mostBytes ?? 0 })
      const [id, end] = answer
      return { flight: { name, id: String(id) }, kept: readEnd(end) }
    }),
    renew: (flight: Flight, waiter: string): Effect.Effect<Renewal, RedisFailure> =>
      Effect.map(
        call(scripts.renew, keysFor(flight), [waiter, waiterMillis, lifeMillis, flight.id, flyerMillis]),
        (answer) => renewals[Number(answer)] ?? "gone",
      ),
    leave: (flight: Flight, waiter: string): Effect.Effect<void, RedisFailure> => Effect.asVoid(leave(flight, waiter)),
    /** Nobody who comes now gets it; those who have it keep it to its end. */
    forget: (flight: Flight): Effect.Effect<void, RedisFailure> => Effect.asVoid(leave(flight, "", "forget")),
    /** Nothing where it is gone. */
    look: Effect.fnUntraced(function* (flight: Flight) {
      const [, state, chunks] = keysFor(flight)
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
        isTaken: typeof seenAt === "string" && millisOf(time) - Number(seenAt) <= flyerMillis,
        end: readEnd(end),
        failed: typeof failed === "string" ? failed : undefined,
      } satisfies Sight
    }),
    /** So many pieces from one on, as they are stored; fewer where it is gone. */
    read: (flight: Flight, from: number, count: number): Effect.Effect<ReadonlyArray<Buffer>, RedisFailure> => {
      const [, , key] = keysFor(flight)
      return readPieces(key, from, from + count - 1)
    },
    /** Nothing where there is nothing to do. */
    board: Effect.fnUntraced(function* (flight: Flight, flyer: string) {
      const [, state, chunks] = keysFor(flight)
      const answer = yield* call(scripts.board, [state, chunks], [flyer])
      if (!Array.isArray(answer)) return undefined
      const position = answer[1] === "" ? Option.none() : Option.some(fromText(String(answer[1])))
      return { chunks: Number(answer[0]), position }
    }),
    /** Whether the work is to go on. */
    append: Effect.fnUntraced(function* (
      flight: Flight,
      flyer: string,
      found?: { readonly chunk: Uint8Array; readonly position: Schema.Json },
    ) {
      const fixed = [flyer, flight.id, keysOf.flightNews, lifeMillis]
      const args =
        found === undefined ? fixed : [...fixed, yield* attempt(() => pack(found.chunk)), toText(found.position)]
      return (yield* call(scripts.append, keysFor(flight), args)) === 1
    }),
    land: Effect.fnUntraced(function* (flight: Flight, flyer: string, { end, keep }: Landing) {
      const { kind, millis, mostBytes } = keep ?? { kind: "none", millis: 0, mostBytes: 0 }
      const said = ["end", toText(end), Math.round(millis), mostBytes]
      const answer = yield* call(
        scripts.land,
        [...keysFor(flight), keysOf.flightsKept(kind)],
        [flyer, flight.id, flight.name, keysOf.flightNews, ...said],
      )
      const gone = Array.isArray(answer) ? answer.map(String) : []
      for (let i = 0; i + 1 < gone.length; i += 2)
        yield* leave({ name: gone[i] ?? "", id: gone[i + 1] ?? "" }, "", "forget")
    }),
    /** By whoever finds that nobody will do it. */
    giveUp: (flight: Flight, reason: string): Effect.Effect<void, RedisFailure> =>
      Effect.asVoid(
        call(
          scripts.land,
          [...keysFor(flight), keysOf.flightsKept("none")],
          ["", flight.id, flight.name, keysOf.flightNews, "failed", reason, 0, 0],
        ),
      ),
    /** What all hold, those included that are over and kept. */
    bytes: Effect.map(call(scripts.bytes, held, []), Number),
    /** What was heard of flights: the id of one that has news or that nobody waits for any more. */
    news: redis.subscribe(keysOf.flightNews),
  }
})

export type FlightStore = Effect.Success<typeof makeFlightStore>
