import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { foldedWords } from "#src/catalogue/SportsNameStore.ts"

export interface SportsHit {
  readonly kind: "event" | "team" | "league"
  readonly id: number
  readonly title: string
  readonly slug: string
  readonly category: string | null
  readonly league: string | null
  readonly active: boolean
  readonly closed: boolean
  readonly volume: bigint | null
  readonly match: "words" | "similar"
}

/** Further words of a query are ignored. */
const mostWords = 12
/** Of those that match, the newest are compared. */
const mostCandidates = 3_000

/** Documents have every word as it was typed. A word that may go on is the beginning of one of theirs. */
const queryOf = (words: ReadonlyArray<string>, mayGoOn: (index: number) => boolean) =>
  words.map((word, i) => (mayGoOn(i) ? `'${word}':*` : `'${word}'`)).join(" & ")

/** Finds events, teams and leagues by their names, with aliases and abbreviations. */
export const searchStore = (sql: SqlClient) => {
  const described = (candidates: Fragment, match: SportsHit["match"], words: ReadonlyArray<string>, limit: number) =>
    sql<SportsHit>`
      select c.kind, c.id, coalesce(e.title, t.name, l.name, l.code) as title,
        coalesce(e.slug, t.abbreviation, l.code, '') as slug, coalesce(e.category, 'sports') as category,
        coalesce(g.league, t.league, l.code) as league, coalesce(e.active and not e.closed, true) as active,
        coalesce(e.closed, false) as closed, e.volume, ${match} as match
      from (${candidates}) c
      left join event e on c.kind = 'event' and e.id = c.id left join game g on g.id = e.game
      left join team t on c.kind = 'team' and t.id = c.id
      left join league l on c.kind = 'league' and l.id = c.id
      where num_nonnulls(e.id, t.id, l.id) = 1 and not coalesce(e.archived, false)
      order by c.likeness desc,
        (lower(coalesce(l.code, t.abbreviation, t.alias, '')) = ${words.join(" ")}) desc,
        coalesce(e.closed, false), case c.kind when 'league' then 0 when 'team' then 1 else 2 end,
        (e.parent is null) desc, e.volume_day desc nulls last, c.id
      limit ${limit}`

  return Effect.fnUntraced(function* (text: string, limit: number) {
    const words = foldedWords(text).slice(0, mostWords)
    if (words.length === 0) return []
    const matching = (query: string) =>
      described(
        sql`
          select kind, id, 1 as likeness from sports_name where vector @@ to_tsquery('simple', ${query})
          order by id desc limit ${mostCandidates}`,
        "words",
        words,
        limit,
      )
    const isTyping = /[\p{L}\p{N}]$/u.test(text)
    const found = yield* matching(queryOf(words, (index) => isTyping && index === words.length - 1))
    if (found.length > 0) return found
    // "man uni", which takes far longer to find by the likeness of names.
    const begun = words.length === 1 ? [] : yield* matching(queryOf(words, () => true))
    if (begun.length > 0) return begun
    return yield* described(
      sql`select kind, id, likeness from sports_similar(${words.join(" ")})`,
      "similar",
      words,
      limit,
    )
  })
}
