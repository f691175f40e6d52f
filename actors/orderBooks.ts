import { Cause, Effect, Layer, Metric, Schedule, Schema } from "effect"
import { Entity } from "effect/unstable/cluster"
import { Rpc } from "effect/unstable/rpc"
import { BookCache } from "#src/books/BookCache.ts"
import { Books } from "#src/books/Books.ts"
import { BooksStore } from "#src/books/BooksStore.ts"
import { runShard } from "#src/books/runShard.ts"
import { booksShards, booksTop } from "#src/books/settings.ts"
import { actor } from "#src/mesh/Actor.ts"
import { entityLease, entitySupervision } from "#src/mesh/EntityActor.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"

const restarts = Metric.counter("presage_actor_restarts_total", {
  description: "Times an actor failed and was started again",
  incremental: true,
  attributes: { actor: "order-books" },
})

/** One shard of the order books; its id is the shard's number. The cluster spreads the shards over its runners. */
export const OrderBooks = Entity.make("order-books", [Rpc.make("Keep", { success: Schema.Void })])

const shards = OrderBooks.toLayer(
  Effect.gen(function* () {
    const { entityId } = yield* Entity.CurrentAddress
    const life = Effect.flatMap(entityLease, (lease) => runShard(Number(entityId), lease))
    yield* life.pipe(
      Effect.tapCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.andThen(
              Metric.update(restarts, 1),
              Effect.logWarning(`order books ${entityId} failed and are started again`, cause),
            ),
      ),
      Effect.sandbox,
      Effect.retry(Schedule.jittered(Schedule.spaced("1 second"))),
      Effect.orDie,
      Effect.annotateLogs({ actor: `order-books/${entityId}` }),
      Effect.forkScoped,
    )
    return OrderBooks.of({ Keep: () => Effect.void })
  }),
  { ...entitySupervision, maxIdleTime: "1 minute" },
)

const rounds = "2 seconds"
const roundsPerTop = 10

/** An entity lives where and while somebody calls it: this calls all shards, and wants the books of the top markets. */
const director = actor("order-books-director", () =>
  Effect.gen(function* () {
    const books = yield* Books
    const store = yield* BooksStore
    const config = yield* Configuration
    const shard = yield* OrderBooks.client
    const numbers = Array.from({ length: config.get(booksShards) }, (_, number) => String(number))

    const call = (number: string) =>
      shard(number)
        .Keep()
        .pipe(
          Effect.timeout("5 seconds"),
          // Its runner may just have gone; the cluster finds it another one.
          Effect.catchCause((cause) => Effect.logDebug(`order books ${number} do not answer`, cause)),
        )
    let top: ReadonlyArray<string> = []
    const findTop = Effect.gen(function* () {
      top = yield* store.top(config.get(booksTop))
    }).pipe(Effect.catch((error) => Effect.logDebug(describe(error))))
    // Said again every time: Redis may have forgotten it.
    const wantTop = Effect.suspend(() => books.want(top)).pipe(Effect.catch((error) => Effect.logDebug(error.message)))

    for (let round = 0; ; round++) {
      if (round % roundsPerTop === 0) yield* findTop
      yield* wantTop
      yield* Effect.forEach(numbers, call, { concurrency: "unbounded", discard: true })
      yield* Effect.sleep(rounds)
    }
  }),
)

export const orderBooks = Layer.merge(shards, director).pipe(
  Layer.provide(Books.layer),
  Layer.provide(Layer.mergeAll(BookCache.layer, BooksStore.layer, ClobRest.layer)),
)
