import type { SiteKind } from "./sites.ts"

export const categories = ["general", "images", "videos", "news"] as const
export type Category = (typeof categories)[number]

/** One of the engines that a search is passed on to. */
export interface Engine {
  readonly name: string
  readonly shortcut: string
  readonly category: Category
  /** Asked when nothing says otherwise. */
  readonly enabled: boolean
  readonly weight: number
  readonly paging: boolean
  readonly timeRange: boolean
  readonly safesearch: boolean
  /** Kinds of pages it knows. */
  readonly finds: ReadonlyArray<SiteKind>
  /** Of a hundred pages it knows this many. */
  readonly coverage: number
}

const everything: ReadonlyArray<SiteKind> = ["news", "forum", "analysis", "betting", "reference"]

const general = (name: string, shortcut: string, coverage: number, over: Partial<Engine> = {}): Engine => ({
  name,
  shortcut,
  category: "general",
  enabled: true,
  weight: 1,
  paging: true,
  timeRange: true,
  safesearch: true,
  finds: everything,
  coverage,
  ...over,
})

const news = (name: string, shortcut: string, coverage: number): Engine =>
  general(name, shortcut, coverage, { category: "news", finds: ["news"] })

export const usualEngines: ReadonlyArray<Engine> = [
  general("google", "go", 75),
  general("bing", "bi", 60),
  general("brave", "br", 65),
  general("duckduckgo", "ddg", 60),
  general("startpage", "sp", 70),
  general("wikipedia", "wp", 100, { weight: 2, paging: false, timeRange: false, finds: ["reference"] }),
  general("qwant", "qw", 50, { enabled: false }),
  general("mojeek", "mjk", 40, { enabled: false, weight: 0.5 }),
  news("bing news", "bin", 70),
  news("duckduckgo news", "ddn", 60),
  news("google news", "gon", 80),
  general("bing images", "bii", 60, { category: "images", finds: ["news", "analysis"] }),
  general("google images", "goi", 70, { category: "images", finds: ["news", "analysis"] }),
  general("bing videos", "biv", 50, { category: "videos", finds: ["news"] }),
  general("google videos", "gov", 60, { category: "videos", finds: ["news"] }),
]
