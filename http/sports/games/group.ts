import type { Schema } from "effect"
import type { PathInput } from "effect/unstable/http/HttpRouter"
import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { sourceRules } from "../../context/parameters.ts"
import { SourceNeedsPlan } from "../../context/shapes.ts"
import { describe } from "../../openapi/describe.ts"
import { BadInput, NotFound, Unavailable } from "../../server/errors.ts"
import {
  contextQuery,
  eventInPath,
  historyQuery,
  marketInPath,
  pricesQuery,
  slugInPath,
  stateQuery,
} from "../parameters.ts"
import * as shapes from "../shapes.ts"

const found = [NotFound, Unavailable] as const
const asked = [BadInput, NotFound, Unavailable] as const

/** How a game is named in an example. */
const example = (path: string) =>
  path.replace(":slug", "$GAME").replace(":event_id", "$EVENT").replace(":market_id", "$MARKET")

type Fields = Schema.Struct.Fields

const detail = <const Name extends string, const Path extends PathInput, Params extends Fields>(
  name: Name,
  path: Path,
  params: Params,
) =>
  HttpApiEndpoint.get(name, path, { params, success: shapes.GameDetail, error: found }).annotateMerge(
    describe(
      "A game",
      example(path),
      "The event with its teams, score and markets. The event that names a game has the markets of the game's other events too; another event has its own.",
    ),
  )

const state = <const Name extends string, const Path extends PathInput, Params extends Fields>(
  name: Name,
  path: Path,
  params: Params,
) =>
  HttpApiEndpoint.get(name, path, {
    params,
    query: stateQuery,
    success: shapes.GameState,
    error: asked,
  }).annotateMerge(
    describe(
      "State of a game",
      example(path),
      "Status, score and prices, with the source and age of each part. `subscribe` can be sent to the streams as it is.",
    ),
  )

const context = <const Name extends string, const Path extends PathInput, Params extends Fields>(
  name: Name,
  path: Path,
  params: Params,
) =>
  HttpApiEndpoint.get(name, path, {
    params,
    query: contextQuery,
    success: shapes.GameContext,
    error: [...asked, SourceNeedsPlan],
  }).annotateMerge(
    describe(
      "Context of a game",
      `${example(path)}?sources=online`,
      `Queries about the game, made from its sides, players, league and date, and what X (\`social\`) and the web (\`online\`) say to them. ${sourceRules}`,
    ),
  )

const prices = <const Name extends string, const Path extends PathInput, Params extends Fields>(
  name: Name,
  path: Path,
  params: Params,
) =>
  HttpApiEndpoint.get(name, path, {
    params,
    query: pricesQuery,
    success: shapes.GamePrices,
    error: found,
  }).annotateMerge(
    describe(
      "Prices of a game",
      example(path),
      "Best bid, best ask, midpoint and spread of every token: from our order books, else from the venue's, else what the catalogue last said (`stale`).",
    ),
  )

const history = <const Name extends string, const Path extends PathInput, Params extends Fields>(
  name: Name,
  path: Path,
  params: Params,
) =>
  HttpApiEndpoint.get(name, path, {
    params,
    query: historyQuery,
    success: shapes.GameHistory,
    error: asked,
  }).annotateMerge(
    describe(
      "Price history of a game",
      example(path),
      "Prices at equal distances in time, from our trades and recorded prices if the ledger has all of that time, else from the venue. Cached for 5 seconds.",
    ),
  )

export class GamesGroup extends HttpApiGroup.make("sportsGames")
  .add(
    detail("bySlug", "/v2/sports/games/:slug", slugInPath),
    state("stateBySlug", "/v2/sports/games/:slug/state", slugInPath),
    context("contextBySlug", "/v2/sports/games/:slug/context", slugInPath),
    prices("pricesBySlug", "/v2/sports/games/:slug/prices", slugInPath),
    history("historyBySlug", "/v2/sports/games/:slug/history", slugInPath),
    detail("byEvent", "/v2/sports/games/by-event/:event_id", eventInPath),
    state("stateByEvent", "/v2/sports/games/by-event/:event_id/state", eventInPath),
    context("contextByEvent", "/v2/sports/games/by-event/:event_id/context", eventInPath),
    prices("pricesByEvent", "/v2/sports/games/by-event/:event_id/prices", eventInPath),
    history("historyByEvent", "/v2/sports/games/by-event/:event_id/history", eventInPath),
    detail("byMarket", "/v2/sports/games/by-market/:market_id", marketInPath),
    state("stateByMarket", "/v2/sports/games/by-market/:market_id/state", marketInPath),
    context("contextByMarket", "/v2/sports/games/by-market/:market_id/context", marketInPath),
    prices("pricesByMarket", "/v2/sports/games/by-market/:market_id/prices", marketInPath),
    history("historyByMarket", "/v2/sports/games/by-market/:market_id/history", marketInPath),
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Games",
      description: "Games by the slug of their event, by event id or by market id.",
    }),
  ) {}
