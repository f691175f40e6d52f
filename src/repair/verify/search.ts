import { Effect } from "effect"
import { searchablesAfter } from "#src/catalogue/searchDocuments.ts"
import { wrongDocuments, wrongWords } from "#src/search/differences.ts"
import { check, type VerifySnapshot } from "./Check.ts"

/** What searches find of markets, against what the catalogue says of them. */
export const checkSearch = Effect.fnUntraced(function* ({ sql }: Pick<VerifySnapshot, "sql">) {
  const wrong: Array<number> = []
  let last = -1
  let markets = 0
  for (;;) {
    const page = yield* searchablesAfter(sql, last)
    const end = page.at(-1)
    if (end === undefined) break
    wrong.push(...(yield* wrongDocuments(sql, "market", page, last)))
    last = end.id
    markets += page.length
  }
  wrong.push(...(yield* wrongDocuments(sql, "market", [], last)))
  const words = yield* wrongWords(sql, "market")
  return check(
    "search",
    wrong.length + words.length,
    `searches find ${markets} markets as the catalogue describes them`,
    `searches find ${wrong.length} markets otherwise than the catalogue describes them, such as ${wrong.slice(0, 3).join(", ") || "none"}; ${words.length} words are counted wrongly, such as ${words.slice(0, 3).join(", ") || "none"}`,
  )
})
