import { Clock, Effect, Option, Schema } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis, RedisFailure } from "#src/platform/redis/Redis.ts"
import { BookChange } from "./model.ts"
import { booksShards } from "./settings.ts"

/** Something that a shard published. One that has nothing to tell says so once a second. */
export interface ShardUpdate {
  readonly shard: number
  readonly epoch: string
  /** When it was received. */
  readonly at: number
  /** By token, still as text: whoever is not interested in one need not read it. */
  readonly changes: ReadonlyArray<readonly [token: string, text: string]>
}

export interface ChangeReader {
  /** Something was lost before what comes next, or another shard begins: all its books are to be read anew. */
  readonly lost: (shard: number) => void
  readonly received: (news: ShardUpdate) => void
}

const changeIn = Schema.decodeUnknownOption(Schema.fromJsonString(BookChange))
export const readChange = (text: string): BookChange | undefined => Option.getOrUndefined(changeIn(text))

type Entry = readonly [id: string, fields: ReadonlyArray<string>]

const entriesPerRead = 100
const waitMillis = 1_000
const streamStart = "0-0"

const isBefore = (one: string, other: string): boolean => {
  const [a = 0n, b = 0n] = one.split("-").map(BigInt)
  const [c = 0n, d = 0n] = other.split("-").map(BigInt)
  return a < c || (a === c && b < d)
}

/** How far a shard's stream has been read. */
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
 * Hands on what all shards tell of their books, in order; one reader a process is enough. When this returns it is known
 * from where on, unless Redis is away; what it returns does the work, for ever.
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
  // A Redis that began anew may have a clock that is behind: what it has then would be taken for old.
  const findPositions = Effect.map(newest, (entries) => {
    for (const [shard, position] of positions.entries()) {
      const entry = entries[shard]
      if (position.id !== undefined && (entry === undefined || !isBefore(entry[0], position.id))) continue
      Object.assign(position, entry === undefined ? { id: streamStart, epoch: undefined, number: 0 } : positionOf(entry))
      reader.lost(shard)
    }
  })

  const deliver = (shard: number, position: StreamPosition, entry: Entry, at: number) => {
    const { id, epoch, number } = positionOf(entry)
    position.id = id
    // The last words of a shard that has been replaced.
    if (position.epoch !== undefined && BigInt(epoch) < BigInt(position.epoch)) return
    if (number !== position.number + 1 || (position.epoch !== undefined && position.epoch !== epoch)) reader.lost(shard)
    Object.assign(position, { epoch, number })
    const [, fields] = entry
    const changes: Array<readonly [string, string]> = []
    for (let field = 4; field + 1 < fields.length; field += 2) {
      changes.push([fields[field] as string, fields[field + 1] as string])
    }
    reader.received({ shard, epoch, at, changes })
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
    // Whatever else is wrong, nobody would hear anything any more.
    Effect.catchCause((cause) =>
      Effect.andThen(Effect.logError("changes of order books could not be read", cause), Effect.sleep("1 second")),
    ),
  )
  yield* Effect.ignore(findPositions)
  return Effect.forever(once)
})
