import { Clock, Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { UnknownName } from "#src/catalogue/NameStore.ts"
import type { FallenBehind, NotBuilt } from "#src/leaderboards/model.ts"
import { suggestionFor } from "../input/unknownName.ts"
import { Chunks } from "../server/Exchange.ts"
import { Unavailable, unavailable } from "../server/errors.ts"
import { NoScope } from "./shapes.ts"

export const storeFailed = unavailable("leaderboards")

const hints = {
  NotBuilt: "The boards are built once the history is complete. GET /v1/status shows the progress.",
  FallenBehind:
    "The boards lag behind the chain. Boards of markets and events return once they have caught up; the others are available.",
}

const listsOf = (kind: UnknownName["kind"]) =>
  kind === "category" || kind === "tag"
    ? `GET /v3/leaderboard/scopes?period=30d&scope=${kind} lists those with results. Names are case-sensitive, one per request.`
    : "GET /v3/leaderboard/scopes lists categories and tags. Use slugs and ids for markets and events."

const noScope = (unknown: UnknownName) =>
  new NoScope({
    error: unknown.message,
    hint: `${suggestionFor(unknown)}${listsOf(unknown.kind)}`,
    ...(unknown.kind === "tag" && { tag: unknown.value.slice(0, 100) }),
  })

export const unavailableBoard = (failure: NotBuilt | FallenBehind | SqlError): Effect.Effect<never, Unavailable> =>
  failure._tag === "SqlError"
    ? storeFailed(failure)
    : Effect.fail(new Unavailable({ error: "leaderboard_unavailable", hint: hints[failure._tag] }))

export const refusal = (
  failure: UnknownName | Parameters<typeof unavailableBoard>[0],
): Effect.Effect<never, NoScope | Unavailable> =>
  failure._tag === "UnknownName" ? Effect.fail(noScope(failure)) : unavailableBoard(failure)

/** A JSON object that starts with its rows, which are already serialized. */
const withRows = (rows: Buffer, rest: Readonly<Record<string, unknown>>) => {
  const body = new Chunks([rows, Buffer.from(JSON.stringify(rest).slice(1))])
  return HttpServerResponse.raw(body, { contentType: "application/json", contentLength: body.length })
}

interface ShownBoard {
  readonly rows: Buffer
  readonly envelope: Readonly<Record<string, unknown>>
}

/** A board whose request came at `start`. */
export const boardResponse = ({ rows, envelope }: ShownBoard, start: number, rest: Readonly<Record<string, unknown>>) =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    withRows(rows, { ...envelope, elapsed_ms: Math.max(0, Math.round(now - start)), ...rest }),
  )
