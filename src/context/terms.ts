import { maxQueryLength, normalizedQuery } from "#src/online-search/query.ts"
import { QueryError } from "#src/social/query/model.ts"
import { translateQuery } from "#src/social/query/translate.ts"
import type { GeneratedQuery } from "./model.ts"

/** Longer names are cut. */
const maxName = 60
/** What X takes of a search of the last week. */
const maxSocial = 512

const hasText = (text: string) => /[\p{L}\p{N}]/u.test(text)

/** A name without what searches take for syntax, cut at a word; empty if it has no letters and digits. */
export const nameOf = (text: string): string => {
  const name = normalizedQuery(text.replace(/["“”„‟«»\\]/g, " "))
  const cut =
    name.length <= maxName ? name : name.slice(0, maxName + 1).replace(/\s?\S*$/u, "") || name.slice(0, maxName)
  return hasText(cut) ? cut : ""
}

/** A word or phrase of a social query. */
const term = (text: string): string => {
  const name = nameOf(text)
  return name === "" || (/^[\p{L}\p{M}\p{N}_]+$/u.test(name) && name !== "OR") ? name : `"${name}"`
}

/** Posts with any of these words and phrases. */
export const anyOf = (texts: ReadonlyArray<string>): string => {
  const terms = [...new Set(texts.map(term))].filter((each) => each !== "")
  return terms.length > 1 ? `(${terms.join(" OR ")})` : terms.join("")
}

/** Parts of a query that all have to match. */
export const allOf = (...parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").join(" ")

const isUsable = ({ query, social }: GeneratedQuery) => {
  if (!hasText(query) || [...query].length > maxQueryLength) return false
  const translated = translateQuery(social)
  return !(translated instanceof QueryError) && [...translated.query].length <= maxSocial
}

/** Retweets repeat what is found anyway. */
const withoutRetweets = (social: string) => (social === "" ? "" : `${social} -filter:retweets`)

/** The first queries that can be asked, each text once. */
export const firstQueries = (
  candidates: ReadonlyArray<GeneratedQuery>,
  most: number,
): ReadonlyArray<GeneratedQuery> => {
  const seen = new Set<string>()
  return candidates
    .map((each) => ({ ...each, query: normalizedQuery(each.query), social: withoutRetweets(each.social) }))
    .filter((each) => {
      const isNew = !seen.has(each.query) && !seen.has(each.social)
      if (!isNew || !isUsable(each)) return false
      seen.add(each.query).add(each.social)
      return true
    })
    .slice(0, most)
}
