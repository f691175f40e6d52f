import type { FoundPage } from "#src/upstream/searxng/model.ts"
import { canonicalUrl } from "./canonicalUrl.ts"
import { cleanText } from "./cleanText.ts"
import type { OnlineResult } from "./model.ts"

const maxTitle = 300
const maxSnippet = 1_000

const resultOf = (
  { engines, score, category, publishedAt, title, text }: FoundPage,
  url: string,
  domain: string,
): OnlineResult => ({
  title: cleanText(title, maxTitle) || domain,
  url,
  domain,
  snippet: cleanText(text, maxSnippet),
  engines: [...new Set(engines)].sort(),
  score,
  category: cleanText(category, 40),
  publishedAt: publishedAt === undefined ? null : new Date(publishedAt).toISOString(),
})

/** The better one, with what only the other one knows. */
const joined = (one: OnlineResult, other: OnlineResult): OnlineResult => {
  const [better, worse] = other.score > one.score ? [other, one] : [one, other]
  return {
    ...better,
    url: better.url.startsWith("https:") ? better.url : worse.url,
    snippet: better.snippet || worse.snippet,
    engines: [...new Set([...one.engines, ...other.engines])].sort(),
    score: one.score + other.score,
    publishedAt: better.publishedAt ?? worse.publishedAt,
  }
}

/** Every page once, by its canonical address, with all engines that found it and the sum of their scores; best first. */
export const mergeResults = (pages: ReadonlyArray<FoundPage>): ReadonlyArray<OnlineResult> => {
  const byKey = new Map<string, OnlineResult>()
  for (const page of pages) {
    const address = canonicalUrl(page.url)
    if (address === undefined) continue
    const result = resultOf(page, address.url, address.domain)
    const known = byKey.get(address.key)
    byKey.set(address.key, known === undefined ? result : joined(known, result))
  }
  return [...byKey.values()].sort((a, b) => b.score - a.score || (a.url < b.url ? -1 : 1))
}
