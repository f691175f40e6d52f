import { Clock, Effect } from "effect"
import { Books } from "#src/books/Books.ts"
import type { MarketLookup } from "#src/catalogue/MarketLookup.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import type { Publisher } from "../Listener.ts"
import { namesIn, unlisted } from "./asked.ts"
import type { Library } from "./Library.ts"
import { firehoseTopic, topicOf } from "./Seat.ts"

const flushEvery = "250 millis"
const readEvery = "50 millis"
/** A shard follows what is wanted for a minute. */
const wantEvery = "20 seconds"

/**
 * Reads, wants and tells books for as long as the scope is open. Returns what brings all books in that are kept anywhere,
 * for somebody who begins to listen to all of them.
 */
export const keepLibrary = Effect.fnUntraced(function* (
  library: Library,
  lookup: MarketLookup["Service"],
  publisher: Publisher,
) {
  const books = yield* Books

  const welcome = (tokens: ReadonlyArray<string>, isAwaited: boolean) =>
    Effect.map(lookup.byTokens(tokens), (markets) => {
      const named = (token: string) => {
        const market = markets.get(token)
        return market === undefined ? unlisted(token) : namesIn(market, token)
      }
      library.welcome(tokens.map(named), isAwaited)
    }).pipe(
      Effect.catchTag("SqlError", (error) =>
        Effect.andThen(
          Effect.sync(() => library.meet(tokens)),
          Effect.logDebug(describe(error)),
        ),
      ),
    )

  const flush = Effect.map(Clock.currentTimeMillis, (now) =>
    library.flush(now, (token, frame) => {
      publisher.publish(topicOf(token), frame)
      publisher.publish(firehoseTopic, frame)
    }),
  )
  const upkeep = Effect.gen(function* () {
    const strangers = library.takeStrangers()
    if (strangers.length > 0) yield* welcome(strangers, true)
    yield* library.want("new")
    yield* library.read
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(flushEvery), flush)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(readEvery), upkeep)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(wantEvery), library.want("all"))))

  // Without Redis they come as the shards tell of them.
  return Effect.flatMap(
    Effect.orElseSucceed(books.held, (): ReadonlyArray<string> => []),
    (held) =>
      welcome(
        held.filter((token) => library.get(token) === undefined),
        false,
      ),
  )
})
