import { Effect } from "effect"
import { ConflictingFilters } from "#src/catalogue/ConflictingFilters.ts"
import { type Name, nameStore } from "#src/catalogue/NameStore.ts"
import { bytesOfToken } from "#src/domain/TokenId.ts"
import { type BoardScope, isKept } from "#src/leaderboards/BoardQuery.ts"
import { boardStore } from "#src/leaderboards/BoardStore.ts"
import { marketBoardStore } from "#src/leaderboards/MarketBoardStore.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Within } from "#src/positions/sums/model.ts"

/** As on leaderboards, or one token, alone or of the market that the scope names. */
export interface PnlScope {
  readonly scope: BoardScope
  /** The name that the client has for the scope; undefined if it gave none. */
  readonly parameter?: string | undefined
  readonly tokenId: string | undefined
}

/** Finds what scopes name. */
export const pnlScopes = (postgres: Postgres["Service"]) => {
  const { reads } = postgres
  const names = nameStore(reads)
  const { tokensOf } = marketBoardStore(postgres)
  const { hadBoard } = boardStore(postgres)
  const fail = (name: Name) => Effect.flatMap(names.unknown(name), (unknown) => Effect.fail(unknown))

  const tokens = Effect.fnUntraced(function* ({ scope, parameter = scope.kind, tokenId }: PnlScope) {
    const ofMarket = isKept(scope) ? undefined : ((yield* tokensOf(scope)) ?? (yield* fail(scope)))
    if (tokenId === undefined) return ofMarket ?? []
    const [token] = yield* reads<{ id: number }>`select id from token where hash = ${bytesOfToken(tokenId)}`
    if (token === undefined) return yield* fail({ kind: "token", value: tokenId })
    const isOther = scope.kind !== "everything" && ofMarket?.includes(token.id) !== true
    return isOther ? yield* new ConflictingFilters({ parameters: [parameter, "token_id"] }) : [token.id]
  })

  return {
    /** Fails for an unknown market, event, condition or token. */
    find: Effect.fnUntraced(function* (given: PnlScope) {
      const { scope, tokenId } = given
      if (isKept(scope) && tokenId === undefined) return scope satisfies Within
      return { kind: "tokens", tokens: yield* tokens(given) } satisfies Within
    }),
    /** Fails for an unknown category or tag; called if nothing was found. */
    check: Effect.fnUntraced(function* (within: Within) {
      if (within.kind !== "category" && within.kind !== "tag") return
      if (!(yield* hadBoard(within))) yield* names.check([within])
    }),
  }
}
