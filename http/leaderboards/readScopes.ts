import { Effect } from "effect"
import type { ScopeKind } from "#src/leaderboards/model.ts"
import { unprintable } from "#src/platform/text/unprintable.ts"
import { BadInput } from "../errors.ts"
import { deepestScope, defaultScopes, mostScopes } from "./limits.ts"
import type { Page } from "./readBoard.ts"

const kinds: ReadonlyMap<string, ScopeKind> = new Map([
  ["category", "category"],
  ["categories", "category"],
  ["tag", "tag"],
  ["tags", "tag"],
])

export const readKind = (given: string | undefined): Effect.Effect<ScopeKind, BadInput> => {
  const kind = kinds.get(given ?? "")
  if (kind !== undefined) return Effect.succeed(kind)
  return Effect.fail(new BadInput({ error: "invalid_scope", param: "scope", hint: "Give `scope` as category or tag." }))
}

const longestQuery = 80
const characters = new Intl.Segmenter("en", { granularity: "grapheme" })

/** Text to look for; null when nothing is. */
export const readQuery = (given = ""): Effect.Effect<string | null, BadInput> => {
  const wrong = (hint: string) => Effect.fail(new BadInput({ error: "invalid_query", param: "q", hint }))
  if (unprintable.test(given)) return wrong("`q` must not have control characters in it.")
  const query = given.normalize("NFC").trim()
  const length = [...characters.segment(query)].length
  if (length > longestQuery) return wrong(`\`q\` has ${length} characters; at most ${longestQuery} are searched for.`)
  return Effect.succeed(query === "" ? null : query)
}

export const readScopePage = (query: Partial<Page>): Effect.Effect<Page, BadInput> => {
  const { limit = defaultScopes, offset = 0 } = query
  if (offset >= 0 && offset <= deepestScope) {
    return Effect.succeed({ limit: Math.min(Math.max(limit, 1), mostScopes), offset })
  }
  const hint = `Give an offset of 0 to ${deepestScope}; \`q\` narrows the list.`
  return Effect.fail(new BadInput({ error: "scope_offset_too_deep", param: "offset", hint }))
}
