import { Clock, Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Tags } from "#src/catalogue/Tags.ts"
import type { Period, Sort } from "#src/leaderboards/asked.ts"
import { Leaderboards } from "#src/leaderboards/Leaderboards.ts"
import type { FallenBehind, NotBuilt } from "#src/leaderboards/refusals.ts"
import { Api } from "../Api.ts"
import { Unavailable, unavailable } from "../errors.ts"
import { Pieces } from "../server/Exchange.ts"
import { allTimeSorts, rollingSorts, rollingTagSorts, tagSorts } from "./limits.ts"
import {
  type Page,
  type ReadScope,
  readPage,
  readPeriod,
  readRollingPeriod,
  readScope,
  readSort,
  tagOf,
} from "./readBoard.ts"
import { readKind, readQuery, readScopePage } from "./readScopes.ts"
import { NoScope } from "./shapes.ts"
import { boardPage, shownScopes, shownTags, tagBoardPage } from "./shown.ts"

const away = unavailable("leaderboards")

const hints = {
  NotBuilt: "The boards are built once the history is in. GET /v1/status says how far it is.",
  FallenBehind:
    "The chain is being read faster than the boards follow: those of markets and events are back once they have caught up, the others are there.",
}

const noScope = ({ name, value }: ReadScope) => {
  const shown = (value ?? "").slice(0, 100)
  const isListed = name === "category" || name === "tag"
  return new NoScope({
    error: `There is no ${name} "${shown}".`,
    hint: isListed
      ? `GET /v3/leaderboard/scopes?period=30d&scope=${name} lists those with results; one at a time, in the same case.`
      : "GET /v3/leaderboard/scopes lists categories and tags; markets and events go by their slugs and ids.",
    ...(name === "tag" && { tag: shown }),
  })
}

const unbuilt = (failure: NotBuilt | FallenBehind | SqlError): Effect.Effect<never, Unavailable> =>
  failure._tag === "SqlError"
    ? away(failure)
    : Effect.fail(new Unavailable({ error: "leaderboard_unavailable", hint: hints[failure._tag] }))

/** An object that begins with its rows, which are written already. */
const withRows = (rows: Buffer, others: Readonly<Record<string, unknown>>) => {
  const body = new Pieces([rows, Buffer.from(JSON.stringify(others).slice(1))])
  return HttpServerResponse.raw(body, { contentType: "application/json", contentLength: body.length })
}

export const LeaderboardsHandlers = HttpApiBuilder.group(
  Api,
  "leaderboards",
  Effect.fnUntraced(function* (handlers) {
    const boards = yield* Leaderboards
    const tags = yield* Tags

    const boardOf = (asked: ReadScope, period: Period, sort: Sort, { offset, limit }: Page) =>
      Effect.catch(
        boards.board({ scope: asked.scope, period, sort, ranks: offset + limit }),
        (failure): Effect.Effect<never, NoScope | Unavailable> =>
          failure._tag === "UnknownScope" ? Effect.fail(noScope(asked)) : unbuilt(failure),
      )
    const since = (start: number) => Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, Math.round(now - start)))

    return handlers
      .handleRaw("scopes", ({ query }) =>
        Effect.gen(function* () {
          const period = yield* readRollingPeriod(query.period)
          const scope = yield* readKind(query.scope)
          const text = yield* readQuery(query.q)
          const page = yield* readScopePage(query)
          const found = yield* Effect.catch(boards.scopes(scope, period), unbuilt)
          return HttpServerResponse.jsonUnsafe({ ...shownScopes(found, text, page), period, scope, query: text })
        }),
      )
      .handleRaw("board", ({ query }) =>
        Effect.gen(function* () {
          const start = yield* Clock.currentTimeMillis
          const period = yield* readPeriod(query.period)
          const { sort, name } = yield* readSort(period, query.sort, allTimeSorts, rollingSorts)
          const asked = yield* readScope(query)
          const page = yield* readPage(period, query)
          const { rows, envelope } = boardPage(yield* boardOf(asked, period, sort, page), page)
          return withRows(rows, {
            ...envelope,
            elapsed_ms: yield* since(start),
            period,
            sort: name,
            scope: asked.name,
            value: asked.value,
          })
        }),
      )
      .handleRaw("tagBoard", ({ params, query }) =>
        Effect.gen(function* () {
          const start = yield* Clock.currentTimeMillis
          const period = yield* readPeriod(query.period)
          const { sort, name } = yield* readSort(period, query.sort, tagSorts, rollingTagSorts)
          const page = yield* readPage(period, query)
          const { rows, envelope } = tagBoardPage(yield* boardOf(tagOf(params.slug), period, sort, page), page)
          return withRows(rows, {
            ...envelope,
            elapsed_ms: yield* since(start),
            period,
            sort: name,
            tag: params.slug,
          })
        }),
      )
      .handleRaw("tags", ({ query }) =>
        Effect.map(Effect.catch(tags.all, away), (all) => HttpServerResponse.jsonUnsafe(shownTags(all, query))),
      )
  }),
)
