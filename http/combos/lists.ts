import { Effect } from "effect"
import type { Listed } from "#src/activity/model.ts"
import type { ComboFilter, ComboPage, ComboQuery } from "#src/combos/model.ts"
import { placeIn, positionOf } from "../activity/translate.ts"
import type { Row } from "../v3/answer.ts"
import { type PageParameters, pagedLists } from "../v3/pages.ts"
import { refusal } from "./translate.ts"

/** Fields that every answer about combos has. */
export const origin = { position_type: "combo", source: "onchain" }

interface ComboList<A extends Listed> {
  readonly list: string
  readonly key: string
  readonly shape: { readonly fields: object }
  readonly subject?: Readonly<Record<string, string>>
  readonly filter: ComboFilter
  readonly pages: (query: ComboQuery) => Effect.Effect<ComboPage<A>, Parameters<typeof refusal>[0]>
  readonly shown: (row: A) => Row
}

/** Answers with a page of what happened to combos. */
export const comboLists = Effect.map(
  pagedLists,
  (paged) =>
    <A extends Listed>(
      given: PageParameters,
      { list, key, shape, subject = {}, filter, pages, shown }: ComboList<A>,
    ) => {
      const format = { list, key, columns: Object.keys(shape.fields), subject, covers: "facts" } as const
      return paged(format, given, ({ behind, ...page }) =>
        Effect.map(
          Effect.catch(pages({ ...page, filter, behind: placeIn(behind) }), refusal),
          ({ rows, next, asOf }) => ({ rows: rows.map(shown), next: next && positionOf(next), asOf, more: origin }),
        ),
      )
    },
)
