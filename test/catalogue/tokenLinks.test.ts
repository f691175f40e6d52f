import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { catalogueWriter } from "#src/catalogue/CatalogueWriter.ts"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import type { CatalogueEvent, Market } from "#src/domain/Catalogue.ts"
import { savePairs } from "#src/ledger/tokenPairs.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { untilWaiting } from "#test/support/hold.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { followedVenue } from "./support/follower.ts"

/** A transaction that has done its work and commits when the returned effect runs. */
const opened = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { sql } = yield* Postgres
    const [done, mayCommit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const transaction = yield* work.pipe(
      Effect.andThen(Deferred.succeed(done, undefined)),
      Effect.andThen(Deferred.await(mayCommit)),
      sql.withTransaction,
      Effect.forkScoped,
    )
    yield* Effect.raceFirst(Deferred.await(done), Fiber.join(transaction))
    return Effect.andThen(Deferred.succeed(mayCommit, undefined), Fiber.join(transaction))
  })

/** An event of one market with a condition and two tokens, of which only the first is known, from a trade. */
const listedMarket = (events: ReadonlyArray<CatalogueEvent>) =>
  Effect.gen(function* () {
    const event = events.find(({ markets }) => markets.length === 1 && markets[0]?.condition)
    const market = event?.markets[0] as Market & { readonly condition: string }
    const [yes = "", no = ""] = market.tokens
    const dictionary = yield* Dictionary
    const traded = yield* dictionary.tokens([yes])
    const conditions = yield* dictionary.conditions([market.condition])
    return {
      event: event as CatalogueEvent,
      pair: { condition: market.condition, tokens: [yes, no] as const },
      token: traded.get(yes) ?? 0,
      condition: conditions.get(market.condition) ?? 0,
    }
  })

interface TokenRow {
  readonly event: number | null
  readonly resolved: boolean
}

const tokensOf = (condition: number) =>
  Effect.flatMap(
    Postgres,
    ({ sql }) => sql<TokenRow>`
      select event, resolved_at is not null as resolved from token where condition = ${condition} order by outcome`,
  )

layer(testFoundation({}), { excludeTestServices: true })("Tokens of a market", (it) => {
  it.effect("belong to its event when the chain names their condition while the catalogue lists it", () =>
    Effect.gen(function* () {
      const venue = yield* followedVenue(1)
      yield* Effect.gen(function* () {
        const { sql, tx } = yield* Postgres
        const page = yield* (yield* Gamma).events({ closed: false }, { limit: 500 })
        const { event, pair, token, condition } = yield* listedMarket(page.items)
        const no = yield* (yield* Dictionary).tokens([pair.tokens[1]])
        const ids = {
          token: (name: string) => (name === pair.tokens[0] ? token : (no.get(name) ?? 0)),
          condition: () => condition,
          wallet: () => 0,
          builder: () => 0,
        }
        const commit = yield* opened(savePairs(sql, [{ condition: pair.condition, tokens: [...pair.tokens] }], ids))
        const write = yield* catalogueWriter(tx)
        const written = yield* Effect.forkScoped(write({ events: [event], requestedAt: venue.now() }))
        yield* untilWaiting(1)
        yield* commit
        yield* Fiber.join(written)
        const row = { event: event.id, resolved: false }
        assert.deepStrictEqual(yield* tokensOf(condition), [row, row])
      }).pipe(Effect.provide(venue.upstreams))
    }).pipe(Effect.scoped),
  )

  for (const [name, isNew] of [
    ["a new token", true],
    ["a known token", false],
  ] as const)
    for (const first of ["result", "condition"] as const)
      it.effect(
        `are resolved when the result and the condition of ${name} are written at once, the ${first} first`,
        () =>
          Effect.gen(function* () {
            const { sql } = yield* Postgres
            const hash = (n: number) => Buffer.alloc(32, `${name} ${first} ${n}`)
            const [condition] = yield* sql<{
              id: number
            }>`insert into condition (hash) values (${hash(1)}) returning id`
            const id = condition?.id ?? 0
            if (!isNew) yield* sql`insert into token (hash) values (${hash(2)})`
            const link = sql`
            insert into token (hash, condition, outcome) values (${hash(2)}, ${id}, 0)
            on conflict (hash) do update set condition = excluded.condition, outcome = excluded.outcome`
            const result = sql`
            insert into resolution (block, log_index, at, condition, payouts) values (${id}, 0, now(), ${id}, '{1,0}')`
            const [earlier, later] = first === "result" ? [result, link] : [link, result]
            const commit = yield* opened(earlier)
            const written = yield* Effect.forkScoped(later)
            yield* untilWaiting(1)
            yield* commit
            yield* Fiber.join(written)
            assert.deepStrictEqual(yield* tokensOf(id), [{ event: null, resolved: true }])
          }).pipe(Effect.scoped),
      )
})
