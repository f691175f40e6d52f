import { hash } from "../random.ts"
import type { Simulation } from "../Simulation.ts"
import { usdText } from "../world/catalogue/text.ts"
import { coins } from "../world/oracle.ts"
import { type Category, type Engine, engineFailure } from "./engines.ts"
import { pagesAbout, pageText } from "./pages.ts"
import type { SearchParams } from "./params.ts"
import { canServe, type RankedPage, ranked } from "./ranking.ts"
import { querySubject, type Subject, type Subjects } from "./Subjects.ts"
import { titleCase, wordsOf } from "./words.ts"

const templates: Readonly<Record<Category, string>> = {
  general: "default.html",
  news: "default.html",
  images: "images.html",
  videos: "videos.html",
}

const maxSuggestions = 6

/** scheme, host, path, parameters, query, fragment */
const parsedUrl = (address: string): ReadonlyArray<string> => {
  const { protocol, host, pathname, search } = new URL(address)
  return [protocol.slice(0, -1), host, pathname, "", search.slice(1), ""]
}

const resultJson = ({ page, engines, positions, score }: RankedPage) => {
  const category = engines[0]?.category ?? "general"
  const { url, title, content, author } = pageText(page)
  const published = page.publishedAt === undefined ? null : new Date(page.publishedAt).toISOString().slice(0, 19)
  const picture = `https://${page.site.host}/media/${page.seed}.jpg`
  return {
    url,
    title,
    content,
    thumbnail: category === "general" ? "" : picture,
    engine: engines[0]?.name,
    template: templates[category],
    parsed_url: parsedUrl(url),
    img_src: category === "images" ? picture : "",
    iframe_src: category === "videos" ? `https://${page.site.host}/embed/${page.seed}` : "",
    audio_src: "",
    priority: "",
    engines: engines.map(({ name }) => name),
    positions,
    score,
    category,
    publishedDate: published,
    pubdate: published?.replace("T", " ") ?? "",
    length: category === "videos" ? `${1 + (page.seed % 9)}:${10 + (page.seed % 50)}` : null,
    views: category === "videos" ? String(hash(page.seed, 5) % 100_000) : "",
    author,
    metadata: category === "news" ? page.site.name : "",
  }
}

/** A query for the price of a coin gets a direct answer. */
const priceAnswers = (sim: Simulation, query: string, engine: Engine | undefined) => {
  const words = wordsOf(query)
  const coin = coins.findIndex(({ name, symbol }) => words.includes(name) || words.includes(symbol.toLowerCase()))
  const { name, symbol } = coins[coin] ?? {}
  if (engine === undefined || name === undefined || !words.includes("price")) return []
  const rounded = Math.floor(sim.model.world.oracle.priceAt(coin, Math.floor(sim.now() / 1000)) / 10_000) * 10_000
  const url = `https://chainpress.io/price/${name}`
  return [
    {
      url,
      engine: engine.name,
      parsed_url: parsedUrl(url),
      template: "answer/legacy.html",
      answer: `1 ${symbol} = ${usdText(rounded)} USD`,
    },
  ]
}

const suggestionsFor = (query: string, subjects: ReadonlyArray<Subject>): ReadonlyArray<string> => {
  const lower = query.toLowerCase()
  const names = subjects.slice(0, 4).map(({ name }) => name.toLowerCase())
  return [...new Set([...names, `${lower} news`, `${lower} odds`])]
    .filter((each) => each !== lower)
    .slice(0, maxSuggestions)
}

/** The results of a query, with the engines that failed. */
export const searchResponse = (
  sim: Simulation,
  subjects: Subjects,
  params: SearchParams,
  forced: ReadonlyMap<string, string | null>,
) => {
  const now = sim.now()
  const { query, language, safesearch, since, timeout } = params
  const selected = params.engines.filter((engine) => canServe(engine, params))
  const failures = selected.flatMap((engine) => {
    const failure = engineFailure(engine, now, timeout, forced)
    return failure === undefined ? [] : [[engine.name, failure] as const]
  })
  const working = selected.filter(({ name }) => !failures.some(([failed]) => failed === name))

  const text = query.slice(0, 400)
  const subjectsFound = subjects.find(text)
  const hasWords = wordsOf(text).length > 0
  const allSubjects = [...subjectsFound, ...(hasWords ? [querySubject(titleCase(text))] : [])]
  const pages = allSubjects
    .flatMap((subject, rank) => pagesAbout(subject, now).map((page, i) => ({ page, order: rank + 2 * i })))
    .filter(
      ({ page: { site, publishedAt } }) =>
        site.sensitivity + safesearch <= 2 &&
        (language === undefined || site.language === language) &&
        (since === undefined || (publishedAt !== undefined && publishedAt >= since)),
    )
    .sort((a, b) => a.order - b.order)
    .map(({ page }) => page)

  return {
    query,
    results: ranked(working, pages, params).map(resultJson),
    answers: priceAnswers(
      sim,
      query,
      working.find(({ category }) => category === "general"),
    ),
    corrections: [],
    infoboxes: [],
    suggestions: working.length > 0 && hasWords ? suggestionsFor(text, subjectsFound) : [],
    unresponsive_engines: failures.toSorted(([a], [b]) => (a < b ? -1 : 1)),
  }
}

export type SearchResponse = ReturnType<typeof searchResponse>
