import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { Builders } from "#src/builders/Builders.ts"
import type { BoardPage, Builder, PnlVersion } from "#src/builders/model.ts"
import { BadInput, Conflict } from "../../server/errors.ts"
import { listResponse } from "../../v3/answer.ts"
import { coverageOf } from "../../v3/coverageOf.ts"
import { Cursors } from "../../v3/cursor.ts"
import { BoardRow } from "../shapes.ts"
import { notRanked, shownIdentity, shownUser } from "../translate.ts"
import { type BoardInput, maxRank, placeIn } from "./input.ts"

const columns = Object.keys(BoardRow.fields)

const movedOn = new Conflict({
  error: "The results that the cursor belongs to have been replaced by newer ones.",
  hint: "Start again without `cursor`, at offset 0.",
})

const secondsOf = (at: Date) => Math.floor(at.getTime() / 1000)

/** A page of a builder's users. */
export const leaderboardHandler = Effect.gen(function* () {
  const builders = yield* Builders
  const cursors = yield* Cursors
  const coverageNow = yield* coverageOf
  return Effect.fnUntraced(function* (builder: Builder, input: BoardInput | BadInput) {
    const start = yield* Clock.currentTimeMillis
    if (input instanceof BadInput) return yield* input
    const { period, sort, limit, offset, isByCursor } = input
    const query = { list: "builder-leaderboard", builder: builder.code, period, sort }
    const position = input.cursor === undefined ? [] : yield* cursors.open(query, input.cursor)
    const place = placeIn(position)
    const coverage = yield* coverageNow("facts")
    const page: BoardPage = yield* Effect.catch(
      builders.board(builder, { period, sort, limit, offset, behind: place }),
      notRanked,
    )
    const { counted, pnl, next } = page
    if (place !== undefined && pnl?.version !== place.version) return yield* movedOn
    const before = place?.rank ?? offset
    const rows = page.rows.map((user, index) => shownUser(user, before + index + 1))
    const issue = ({ version }: PnlVersion, { value, wallet }: NonNullable<typeof next>) =>
      cursors.issue(query, [version, before + rows.length, value, wallet])
    const nextCursor = isByCursor && next !== undefined && pnl !== undefined ? yield* issue(pnl, next) : null
    const now = yield* Clock.currentTimeMillis
    const { headers } = yield* HttpServerRequest
    return listResponse(headers["accept"], {
      key: "leaderboard",
      rows,
      columns,
      asOf: { ...counted, seq: 0n },
      nextCursor,
      now,
      rest: {
        ...shownIdentity(builder),
        period,
        sort,
        rows_returned: rows.length,
        has_more: next !== undefined && (isByCursor || offset + limit < maxRank),
        offset,
        limit,
        next_cursor: nextCursor,
        as_of: secondsOf(counted.at),
        pnl_as_of: pnl === undefined ? null : secondsOf(pnl.at),
        coverage,
        elapsed_ms: Math.max(0, Math.round(now - start)),
      },
    })
  })
})
