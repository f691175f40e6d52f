import { Clock, Context, Effect, Layer } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ClobRest } from "#src/upstream/clob/ClobRest.ts"
import { covers, type HistoryToken, type PricePoint, readPoints } from "./HistoryStore.ts"
import { type HistoryRequest, type HistoryWindow, windowOf } from "./historyWindow.ts"
import type { FoundGame } from "./Listings.ts"
import { NoSource } from "./model.ts"
import { marketsOf } from "./score.ts"

export interface TokenHistory {
  readonly token: string
  readonly outcome: string
  readonly question: string
  readonly marketType: string | null
  readonly points: ReadonlyArray<PricePoint>
}

export interface GameHistory {
  readonly tokens: ReadonlyArray<TokenHistory>
  readonly total: number
  /** Our own trades and recorded prices, or the venue's price history. */
  readonly source: "ledger" | "clob"
  /** Whether the ledger answers although it does not have all of that time, because the venue does not. */
  readonly isPartial: boolean
  readonly window: HistoryWindow
}

/** Somebody waits for it. */
const venueTimeout = "4 seconds"

/** Price histories of the tokens of a game. */
export class History extends Context.Service<
  History,
  { readonly of: (found: FoundGame, limit: number, request: HistoryRequest) => Effect.Effect<GameHistory, NoSource> }
>()("presage/sports/History") {
  static readonly layer = Layer.effect(
    History,
    Effect.gen(function* () {
      const { reads } = yield* Postgres
      const rest = yield* ClobRest

      const ofVenue = (tokens: ReadonlyArray<HistoryToken>, { from, to, step }: HistoryWindow) =>
        rest
          .histories(
            tokens.map(({ token }) => token),
            { from: from * 1000, to: to * 1000, stepMinutes: step / 60 },
          )
          .pipe(
            Effect.timeout(venueTimeout),
            Effect.map((histories) =>
              tokens.map(({ token }) =>
                (histories.get(token) ?? []).map(({ at, price }): PricePoint => ({ at: Math.floor(at / 1000), price })),
              ),
            ),
          )

      const pointsOf = Effect.fnUntraced(function* (tokens: ReadonlyArray<HistoryToken>, window: HistoryWindow) {
        const own = readPoints(reads, tokens, window)
        const isCovered = yield* Effect.orElseSucceed(covers(reads, window.from, window.to), () => false)
        if (isCovered) {
          const points = yield* Effect.option(own)
          if (points._tag === "Some") return { points: points.value, source: "ledger", isPartial: false } as const
        }
        return yield* ofVenue(tokens, window).pipe(
          Effect.map((points) => ({ points, source: "clob", isPartial: false }) as const),
          Effect.catch((failure) =>
            own.pipe(
              Effect.map((points) => ({ points, source: "ledger", isPartial: true }) as const),
              Effect.mapError(() => new NoSource({ reason: failure.message })),
            ),
          ),
        )
      })

      return History.of({
        of: Effect.fn("History.of")(function* (found, limit, request) {
          const markets = marketsOf(found)
          const all = markets.flatMap((market) =>
            market.tokens.map((token, outcome) => ({ token, market, outcome, name: market.outcomes[outcome] ?? "" })),
          )
          const shown = all.slice(0, limit)
          const now = yield* Clock.currentTimeMillis
          const { startsAt, closed, closedAt } = found.event
          const first = Math.floor((startsAt ?? now) / 1000)
          const last = Math.floor((closed ? Math.min(closedAt ?? now, now) : now) / 1000)
          const window = windowOf(request, first, last)
          const { points, source, isPartial } = yield* pointsOf(
            shown.map(({ token, market, outcome }) => ({ token, market: market.id, outcome })),
            window,
          )
          return {
            tokens: shown.map(({ token, name, market }, i) => ({
              token,
              outcome: name,
              question: market.question,
              marketType: market.sportsType,
              points: points[i] ?? [],
            })),
            total: all.length,
            source,
            isPartial,
            window,
          }
        }),
      })
    }),
  )
}
