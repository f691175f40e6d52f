import { Clock, Effect } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import type { BookShard } from "./BookShard.ts"
import { countResyncs } from "./metrics.ts"
import { booksAudit } from "./settings.ts"

/** Reads the books that are in doubt anew, all of them with one request, a few times a second at most. */
export const resync = Effect.fnUntraced(function* (shard: BookShard) {
  const rest = yield* ClobRest
  const once = Effect.gen(function* () {
    const questions = shard.takeDoubts(yield* Clock.currentTimeMillis)
    if (questions.length === 0) return
    yield* countResyncs(questions.map(({ reason }) => reason))
    yield* rest.books(questions.map(({ token }) => token)).pipe(
      Effect.flatMap((books) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const byToken = new Map(books.map((book) => [book.token, book]))
          for (const question of questions) shard.answer(question, byToken.get(question.token), now)
        }),
      ),
      Effect.catch((failure) => {
        shard.askAgain(questions)
        return Effect.logWarning(`${questions.length} books could not be read anew: ${failure.message}`)
      }),
    )
  })
  return yield* Effect.forever(Effect.andThen(once, Effect.sleep("100 millis")))
})

/**
 * Compares the books with those that the venue shows. A change of a level deep down that got lost leaves no other trace,
 * and a connection that has fallen silent looks like one of books at rest.
 */
export const audit = Effect.fnUntraced(function* (shard: BookShard) {
  const rest = yield* ClobRest
  const config = yield* Configuration
  let auditedAt = 0
  const once = Effect.gen(function* () {
    const before = auditedAt
    auditedAt = yield* Clock.currentTimeMillis
    const live = [...shard.tokens].filter((token) => shard.book(token)?.isLive)
    for (const shown of yield* rest.books(live)) {
      const line = shard.lineOf(shown.token)
      const isSilent = shard.audit(shown) && line !== undefined && line.heardAt < before
      if (isSilent) line.feed.replace("books changed and nothing was heard of it")
    }
  }).pipe(Effect.catch((failure) => Effect.logDebug(failure.message)))
  return yield* Effect.forever(
    Effect.andThen(
      Effect.suspend(() => Effect.sleep(config.get(booksAudit))),
      once,
    ),
  )
})
