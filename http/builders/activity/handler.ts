import { Effect } from "effect"
import { Builders } from "#src/builders/Builders.ts"
import type { Builder, BuilderDay, Listed } from "#src/builders/model.ts"
import { type PageParameters, pagedLists, type WantedPage } from "../../v3/pages.ts"
import { ActivityDay, RoutedDay } from "../shapes.ts"
import { shownActivity, shownIdentity, shownRoutedDay, storeFailed } from "../translate.ts"

interface Range {
  readonly after?: number
  readonly before?: number
}

type Given = PageParameters & Range

const dayQuery = ({ behind, ...page }: WantedPage, { after, before }: Range) => ({
  ...page,
  behind: behind?.[0] === undefined ? undefined : Number(behind[0]),
  after,
  before,
})

const nextDay = <A extends BuilderDay>({ rows, hasMore }: Listed<A>) => {
  const last = rows.at(-1)
  return hasMore && last !== undefined ? [last.day] : undefined
}

const format = {
  list: "builder-activity",
  key: "activity",
  columns: Object.keys(ActivityDay.fields),
  covers: "facts",
} as const
const routedFormat = {
  list: "routed-activity",
  key: "activity",
  columns: Object.keys(RoutedDay.fields),
  covers: "facts",
} as const

/** What was traded through a builder, or through all of them, day by day. */
export const activityHandlers = Effect.gen(function* () {
  const builders = yield* Builders
  const paged = yield* pagedLists
  return {
    ofBuilder: (builder: Builder, given: Given) => {
      const { builder: subject, ...identity } = shownIdentity(builder)
      return paged({ ...format, subject: { builder: subject } }, given, (page, range) =>
        Effect.map(Effect.catch(builders.days(builder, dayQuery(page, range)), storeFailed), (found) => ({
          rows: found.rows.map(shownActivity),
          next: nextDay(found),
          asOf: found.asOf,
          more: identity,
        })),
      )
    },
    ofAll: (given: Given) =>
      paged(routedFormat, given, (page, range) =>
        Effect.map(Effect.catch(builders.routedDays(dayQuery(page, range)), storeFailed), (found) => ({
          rows: found.rows.map(shownRoutedDay),
          next: nextDay(found),
          asOf: found.asOf,
        })),
      ),
  }
})
