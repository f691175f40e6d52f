import { Clock, Effect, Option, Schema } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis, RedisFailure } from "#src/platform/redis/Redis.ts"
import { BookChange } from "./model.ts"
import { booksShards } from "./settings.ts"

/** One publication of a shard. A shard without changes publishes an empty one every second. */
export interface ShardUpdate {
  readonly shard: number
  readonly epoch: string
  /** Time of receipt. */
  readonly at: number
  /** By token, as JSON text: the reader decodes only those it needs. */
  readonly changes: ReadonlyArray<readonly [token: string, text: string]>
}

export interface ChangeReader {
  /** A publication was lost or another process took over the shard: all its books have to be read again. */
  readonly lost: (shard: number) => void
  readonly receive: (news: ShardUpdate) => void
}

const decodeChange = Schema.decodeUnknownOption(Schema.fromJsonString(BookChange))
export const readChange = (text: string): BookChange | undefined => Option.getOrUndefined(decodeChange(text))

type Entry = readonly [id: string, fields: ReadonlyArray<string>]

const entriesPerRead = 100
const waitMillis = 1_000
const streamStart = "0-0"

const isBefore = (one: string, other: string): boolean => {
  const [a = 0n, b = 0n] = one.split("-").map(BigInt)
  const [c = 0n, d = 0n] = other.split("-").map(BigInt)
  return a < c || (a === c && b < d)
}

/** How far the stream of a shard has been read. */
interface StreamPosition {
  id: string | undefined
  epoch: string | undefined
  number: number
}

const positionOf = ([id, fields]: Entry) => {
  const [, epoch = "0", , number = "0"] = fields
  return { id, epoch, number: Number(number) }
}

/**
 * Delivers the publications of all shards in order; a process needs one reader. The starting positions are known when this
 * returns, unless Redis is unavailable. The returned effect reads forever.
 */
export const followChanges = Effect.fnUntraced(function* (reader: ChangeReader) {
  const redis = yield* Redis
  const shards = (yield* Configuration).get(booksShards)
  const { booksOf } = keys(redis.prefix)
  const streams = Array.from({ length: shards }, (_, shard) => booksOf(shard).changes)
  const positions = streams.map((): StreamPosition => ({ id: undefined, epoch: undefined, number: 0 }))
  const connection = yield* redis.reader("books")

  const newest = redis.run((client) =>
    Promise.all(streams.map(async (stream) => (await client.xrevrange(stream, "+", "-", "COUNT", 1))[0])),
  )
  // A restarted Redis may have a clock that is behind, so its new entries would look old.
  const findPositions = Effect.map(newest, (entries) => {
    for (const [shard, position] of positions.entries()) {
      const entry = entries[shard]
      if (position.id !== undefined && (entry === undefined || !isBefore(entry[0], position.id))) continue
      Object.assign(
        position,
        entry === undefined ? { id: streamStart, epoch: undefined, number: 0 } : positionOf(entry),
      )
      reader.lost(shard)
    }
  })

  const deliver = (shard: number, position: StreamPosition, entry: Entry, at: number) => {
    const { id, epoch, number } = positionOf(entry)
    position.id = id
    // From a process whose shard has been taken over.
    if (position.epoch !== undefined && BigInt(epoch) < BigInt(position.epoch)) return
    if (number !== position.number + 1 || (position.epoch !== undefined && position.epoch !== epoch)) reader.lost(shard)
    Object.assign(position, { epoch, number })
    const [, fields] = entry
    const changes: Array<readonly [string, string]> = []
    for (let field = 4; field + 1 < fields.length; field += 2) {
      changes.push([fields[field] as string, fields[field + 1] as string])
    }
    reader.receive({ shard, epoch, at, changes })
  }

  const read = Effect.tryPromise({
    try: () => {
      const from = positions.map(({ id }) => id ?? streamStart)
      const answer = connection.xread("COUNT", entriesPerRead, "BLOCK", waitMillis, "STREAMS", ...streams, ...from)
      return answer as Promise<ReadonlyArray<[string, ReadonlyArray<Entry>]> | null>
    },
    catch: (cause) => new RedisFailure({ cause }),
  })

  const once = Effect.gen(function* () {
    const answer = positions.some(({ id }) => id === undefined) ? null : yield* read
    if (answer === null) return yield* findPositions
    const now = yield* Clock.currentTimeMillis
    for (const [stream, entries] of answer) {
      const shard = streams.indexOf(stream)
      const position = positions[shard]
      if (position !== undefined) for (const entry of entries) deliver(shard, position, entry, now)
    }
  }).pipe(
    Effect.catchTag("RedisFailure", (error) =>
      Effect.andThen(Effect.logDebug(error.message), Effect.sleep("200 millis")),
    ),
    // Any other defect must not end the reader.
    Effect.catchCause((cause) =>
      Effect.andThen(Effect.logError("failed to read order book changes", cause), Effect.sleep("1 second")),
    ),
  )
  yield* Effect.ignore(findPositions)
  return Effect.forever(once)
})
