import { Effect, Layer, Schema } from "effect"
import { Entity } from "effect/unstable/cluster"
import { Rpc } from "effect/unstable/rpc"
import { Baselines } from "#src/books/Baselines.ts"
import { BookCache } from "#src/books/BookCache.ts"
import { BookRecords } from "#src/books/BookRecords.ts"
import { Books } from "#src/books/Books.ts"
import * as BooksStore from "#src/books/BooksStore.ts"
import { runShard } from "#src/books/runShard.ts"
import { booksShards, booksTop } from "#src/books/settings.ts"
import { actor, entitySupervision, runInEntity } from "#src/mesh/Actor.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"

/** One shard of the order books; the entity id is the shard number. The cluster spreads the shards over its runners. */
const OrderBooks = Entity.make("order-books", [Rpc.make("Keep", { success: Schema.Void })])

const shards = OrderBooks.toLayer(
  Effect.as(
    runInEntity((shard, lease) => runShard(Number(shard), lease)),
    OrderBooks.of({ Keep: () => Effect.void }),
  ),
  { ...entitySupervision, maxIdleTime: "1 minute" },
)

const roundEvery = "2 seconds"
const roundsPerTop = 10

/** An entity lives only while it is called. This calls all shards and requests the books of the top markets. */
const director = actor("order-books-director", () =>
  Effect.gen(function* () {
    const books = yield* Books
    const { reads } = yield* Postgres
    const config = yield* Configuration
    const shard = yield* OrderBooks.client
    const numbers = Array.from({ length: config.get(booksShards) }, (_, number) => String(number))

    const call = (number: string) =>
      shard(number)
        .Keep()
        .pipe(
          Effect.timeout("5 seconds"),
          // Its runner may have stopped; the cluster assigns another one.
          Effect.catchCause((cause) => Effect.logDebug(`order books shard ${number} did not respond`, cause)),
        )
    let top: ReadonlyArray<string> = []
    const findTop = Effect.gen(function* () {
      top = yield* BooksStore.topTokens(reads, config.get(booksTop))
    }).pipe(Effect.catch((error) => Effect.logDebug(describe(error))))
    // Repeated in every round because Redis may have lost it.
    const requestTop = Effect.suspend(() => books.request(top)).pipe(
      Effect.catch((error) => Effect.logDebug(error.message)),
    )

    for (let round = 0; ; round++) {
      // The catalogue of a new instance is empty at first.
      if (round % roundsPerTop === 0 || top.length === 0) yield* findTop
      yield* requestTop
      yield* Effect.forEach(numbers, call, { concurrency: "unbounded", discard: true })
      yield* Effect.sleep(roundEvery)
    }
  }),
)

export const orderBooks = Layer.merge(shards, director).pipe(
  Layer.provide(Books.layer),
  Layer.provide(Layer.mergeAll(Baselines.layer, BookRecords.layer, BookCache.layer, ClobRest.layer)),
)
