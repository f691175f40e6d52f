import { Clock, Effect } from "effect"
import { Books } from "#src/books/Books.ts"
import type { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import type { Publisher } from "../channel/Channel.ts"
import { firehoseTopic, topicOf } from "./BookFollower.ts"
import type { BookReplicas } from "./BookReplicas.ts"
import { namesIn, unlistedNames } from "./bookRequest.ts"

const flushEvery = "250 millis"
const readEvery = "50 millis"
/** A shard follows a requested book for a minute. */
const requestEvery = "20 seconds"

/**
 * Reads, requests and publishes books until the scope closes; calls `flushed` after each flush. Returns the effect that
 * opens replicas of all existing books, for a new firehose.
 */
export const maintainReplicas = Effect.fnUntraced(function* (
  replicas: BookReplicas,
  lookup: MarketLookup["Service"],
  publisher: Publisher,
  flushed: (now: number) => void,
) {
  const books = yield* Books

  const open = (tokens: ReadonlyArray<string>, isAwaited: boolean) =>
    Effect.map(lookup.byTokens(tokens), (markets) => {
      const namesOf = (token: string) => {
        const market = markets.get(token)
        return market === undefined ? unlistedNames(token) : namesIn(market, token)
      }
      replicas.openAll(tokens.map(namesOf), isAwaited)
    }).pipe(
      Effect.catchTag("SqlError", (error) =>
        Effect.andThen(
          Effect.sync(() => replicas.addUnknown(tokens)),
          Effect.logDebug(describe(error)),
        ),
      ),
    )

  const flush = Effect.map(Clock.currentTimeMillis, (now) => {
    replicas.flush(now, (token, frame) => {
      publisher.publish(topicOf(token), frame)
      publisher.publish(firehoseTopic, frame)
    })
    flushed(now)
  })
  const upkeep = Effect.gen(function* () {
    const unknown = replicas.takeUnknown()
    if (unknown.length > 0) yield* open(unknown, true)
    yield* replicas.request("new")
    yield* replicas.read
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(flushEvery), flush)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(readEvery), upkeep)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(requestEvery), replicas.request("all"))))

  // Without Redis, replicas open as the shards publish changes.
  return Effect.flatMap(
    Effect.orElseSucceed(books.heldTokens, (): ReadonlyArray<string> => []),
    (held) =>
      open(
        held.filter((token) => replicas.get(token) === undefined),
        false,
      ),
  )
})
