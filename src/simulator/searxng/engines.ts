import { hash, seedOf } from "../random.ts"
import type { Millis } from "../world/model.ts"
import { type SiteKind, sites } from "./sites.ts"

export const categories = ["general", "images", "videos", "news"] as const
export type Category = (typeof categories)[number]

/** A search engine that queries are forwarded to. */
export interface Engine {
  readonly name: string
  readonly shortcut: string
  readonly category: Category
  /** Queried by default. */
  readonly enabled: boolean
  readonly weight: number
  readonly paging: boolean
  readonly timeRange: boolean
  readonly safesearch: boolean
  /** Kinds of sites it indexes. */
  readonly siteKinds: ReadonlyArray<SiteKind>
  /** Percentage of pages it indexes. */
  readonly coverage: number
}

const allKinds: ReadonlyArray<SiteKind> = ["news", "forum", "analysis", "betting", "reference"]

const general = (name: string, shortcut: string, coverage: number, over: Partial<Engine> = {}): Engine => ({
  name,
  shortcut,
  category: "general",
  enabled: true,
  weight: 1,
  paging: true,
  timeRange: true,
  safesearch: true,
  siteKinds: allKinds,
  coverage,
  ...over,
})

const news = (name: string, shortcut: string, coverage: number): Engine =>
  general(name, shortcut, coverage, { category: "news", siteKinds: ["news"] })

export const defaultEngines: ReadonlyArray<Engine> = [
  general("google", "go", 75),
  general("bing", "bi", 60),
  general("brave", "br", 65),
  general("duckduckgo", "ddg", 60),
  general("startpage", "sp", 70),
  general("wikipedia", "wp", 100, { weight: 2, paging: false, timeRange: false, siteKinds: ["reference"] }),
  general("qwant", "qw", 50, { enabled: false }),
  general("mojeek", "mjk", 40, { enabled: false, weight: 0.5 }),
  news("bing news", "bin", 70),
  news("duckduckgo news", "ddn", 60),
  news("google news", "gon", 80),
  general("bing images", "bii", 60, { category: "images", siteKinds: ["news", "analysis"] }),
  general("google images", "goi", 70, { category: "images", siteKinds: ["news", "analysis"] }),
  general("bing videos", "biv", 50, { category: "videos", siteKinds: ["news"] }),
  general("google videos", "gov", 60, { category: "videos", siteKinds: ["news"] }),
]

const minute = 60_000
const outageMillis = 5 * minute
const oneOutageIn = 18

/** After these, an engine is suspended for a while. */
const suspendingFailures = ["CAPTCHA", "too many requests", "access denied"]
const transientFailures = ["timeout", "HTTP error", "HTTP connection error", "parsing error"]
const failures = [...suspendingFailures, ...transientFailures]

/** The random failure of an engine at a time: occasional, for some minutes. */
const outage = ({ name }: Engine, now: Millis): string | undefined => {
  const seed = seedOf(0, `outages of ${name}`)
  const span = Math.floor(now / outageMillis)
  if (hash(seed, span) % oneOutageIn !== 0) return undefined
  const failure = failures[hash(seed, span, 1) % failures.length] as string
  const isFirstMinute = now - span * outageMillis < minute
  return suspendingFailures.includes(failure) && !isFirstMinute ? `Suspended: ${failure}` : failure
}

const latencyOf = ({ name }: Engine, now: Millis): Millis =>
  150 + (hash(seedOf(0, `latency of ${name}`), Math.floor(now / minute)) % 900)

/** Why an engine returns no results; undefined when it works. */
export const engineFailure = (
  engine: Engine,
  now: Millis,
  timeout: Millis | undefined,
  forced: ReadonlyMap<string, string | null>,
): string | undefined => {
  const failure = forced.has(engine.name) ? forced.get(engine.name) : outage(engine, now)
  if (failure) return failure
  return timeout !== undefined && timeout < latencyOf(engine, now) ? "timeout" : undefined
}

const languages = [...new Set(sites.map(({ language }) => language))].toSorted()

/** The configuration that the instance reports. */
export const configJson = (engines: ReadonlyArray<Engine>) => ({
  categories,
  engines: engines.map(({ name, category, shortcut, enabled, paging, safesearch, timeRange }) => ({
    name,
    categories: [category],
    shortcut,
    enabled,
    paging,
    language_support: true,
    languages,
    regions: [],
    safesearch,
    time_range_support: timeRange,
    timeout: 3,
  })),
  plugins: [],
  instance_name: "SearXNG",
  locales: { en: "English" },
  default_locale: "",
  autocomplete: "",
  safe_search: 0,
  default_theme: "simple",
  version: "2026.8.22",
  brand: { PRIVACYPOLICY_URL: null, CONTACT_URL: null, GIT_URL: "", GIT_BRANCH: "", DOCS_URL: "" },
  limiter: {
    enabled: false,
    "botdetection.ip_limit.link_token": false,
    "botdetection.ip_lists.pass_searxng_org": false,
  },
  doi_resolvers: [],
  default_doi_resolver: "",
  public_instance: false,
})
