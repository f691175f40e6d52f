import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { ActivityPage, ActivityQuery, Listed } from "#src/activity/model.ts"
import { unavailable } from "../server/errors.ts"
import type { Row } from "../v3/answer.ts"
import { type PageParameters, pagedLists, type WantedPage } from "../v3/pages.ts"
import { placeIn, positionOf } from "./translate.ts"

export interface Given extends PageParameters {
  readonly after?: number
  readonly before?: number
}

interface ActivityList<A extends Listed, Page extends ActivityPage<A>> {
  readonly list: string
  readonly key?: string
  readonly shape: { readonly fields: object }
  readonly subject?: Readonly<Record<string, string>>
  readonly owner?: string
  readonly pages: (query: ActivityQuery) => Effect.Effect<Page, SqlError>
  readonly shown: (row: A) => Row
  /** Further fields of the answer. */
  readonly more?: (page: Page, wanted: WantedPage) => Readonly<Record<string, unknown>>
}

const storeFailed = unavailable("activity")

/** Answers with a page of what happened, of everybody or of one wallet. */
export const activityLists = Effect.map(pagedLists, (paged) => {
  return <A extends Listed, Page extends ActivityPage<A>>(
    given: Given,
    { list, key = "data", shape, owner, subject = {}, pages, shown, more }: ActivityList<A, Page>,
  ) => {
    const columns = Object.keys(shape.fields)
    return paged({ list, key, columns, subject, covers: "facts" }, given, (wanted, { after, before }) => {
      const { behind, ...page } = wanted
      const query = { ...page, filter: { owner, after, before }, behind: placeIn(behind) }
      return Effect.map(Effect.catch(pages(query), storeFailed), (found) => ({
        rows: found.rows.map(shown),
        next: found.next && positionOf(found.next),
        asOf: found.asOf,
        more: more?.(found, wanted) ?? {},
      }))
    })
  }
})
