import { Effect } from "effect"
import type { ConflictingFilters } from "#src/catalogue/ConflictingFilters.ts"
import type { UnknownName } from "#src/catalogue/NameStore.ts"
import type { HistoryIncomplete } from "#src/ledger/historyIsComplete.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import type { ChainChanged, TooManyFacts } from "#src/wallets/explain/model.ts"
import { conflictingFilters } from "../input/conflictingFilters.ts"
import { readScope } from "../leaderboards/boardInput.ts"
import { notFound } from "../positions/translate.ts"
import { BadInput, type NotFound, type Unavailable } from "../server/errors.ts"
import { type WindowParameters, windowOf } from "./parameters.ts"

export const refusal = (
  failure: UnknownName | ConflictingFilters | HistoryIncomplete | TxError,
): Effect.Effect<never, BadInput | NotFound | Unavailable> =>
  failure._tag === "ConflictingFilters" ? Effect.fail(conflictingFilters(failure.parameters)) : notFound(failure)

export const unexplained = (
  failure: Parameters<typeof refusal>[0] | TooManyFacts | ChainChanged,
): Effect.Effect<never, BadInput | NotFound | Unavailable> => {
  if (failure._tag === "ChainChanged") {
    return Effect.fail(
      new BadInput({
        error: 'Parameter "cursor": the chain was reorganised before this page.',
        param: "cursor",
        hint: "Omit it to start with the first page.",
      }),
    )
  }
  if (failure._tag !== "TooManyFacts") return refusal(failure)
  return Effect.fail(
    new BadInput({
      error: `The cost of these shares follows from more than ${failure.most} facts of other positions.`,
      hint: "Explain the positions that they came from, or use `token_id` instead of `condition_id`.",
    }),
  )
}

export const readWindow = (query: WindowParameters) => {
  const window = windowOf(query)
  return window instanceof BadInput ? Effect.fail(window) : Effect.succeed(window)
}

interface PnlQuery extends WindowParameters {
  readonly category?: string
  readonly tags?: string
  readonly tag_slug?: string
  readonly market?: string
  readonly market_slug?: string
  readonly event_slug?: string
  readonly condition_id?: string
  readonly token_id?: string
  readonly include_unrealized?: "true" | "false"
  readonly include_combos?: "true" | "false"
}

export const readPnlQuery = Effect.fnUntraced(function* (query: PnlQuery) {
  const window = yield* readWindow(query)
  const { scope, parameter, name, value } = yield* readScope(query)
  const { token_id: tokenId } = query
  const withCombos = query.include_combos === "true"
  if (withCombos && (name !== "all" || tokenId !== undefined)) {
    return yield* new BadInput({
      error: "`include_combos` and a scope exclude each other.",
      param: "include_combos",
      hint: "Combos belong to no category, tag or event. `condition_id` or `token_id` of a combo selects it alone.",
    })
  }
  return {
    window,
    scope: { scope, parameter, tokenId },
    named: tokenId === undefined ? { scope: name, value } : { scope: "token", value: tokenId },
    withCombos,
    withNow: query.include_unrealized === "true",
  }
})

/** A condition, a token, or a token of the condition. */
export const readExplained = (condition_id: string | undefined, tokenId: string | undefined) =>
  condition_id === undefined && tokenId === undefined
    ? Effect.fail(
        new BadInput({
          error: 'Parameter "token_id" or "condition_id" is required.',
          param: "token_id",
          hint: "GET /v3/wallets/:address/positions lists the tokens of a wallet.",
        }),
      )
    : Effect.map(readScope(condition_id === undefined ? {} : { condition_id }), ({ scope, parameter }) => ({
        scope,
        parameter,
        tokenId,
      }))
