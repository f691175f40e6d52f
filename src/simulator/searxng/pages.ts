import { Dice, hash } from "../random.ts"
import { kebab } from "../world/catalogue/text.ts"
import { firstNames, lastNames } from "../world/catalogue/words.ts"
import type { Millis } from "../world/model.ts"
import { headlines } from "./headlines.ts"
import type { Subject } from "./Subjects.ts"
import { encyclopedia, type Site, sitesAbout } from "./sites.ts"

/** A page on the web, the same for every engine that finds it. */
export interface Page {
  /** Tells pages apart. */
  readonly seed: number
  readonly subject: Subject
  readonly site: Site
  readonly publishedAt: Millis | undefined
}

/** What a page says; only needed of those that are shown. */
export interface PageText {
  readonly url: string
  readonly title: string
  readonly content: string
  readonly author: string
}

const day = 86_400_000
const pagesOfEvent = 10
const daysOfNews = 21

const written = (subject: Subject, seed: number, publishedAt: Millis | undefined): Page => {
  const sites = sitesAbout(subject.topic)
  return { seed, subject, site: sites[hash(seed, 2) % sites.length] as Site, publishedAt }
}

const datesOf = ({ seed, news }: Subject, now: Millis): ReadonlyArray<Millis> => {
  if (news === "always") {
    const today = Math.floor(now / day)
    return Array.from({ length: daysOfNews }, (_, i) => (today - i) * day + (hash(seed, today - i) % day))
  }
  const lasts = Math.max(1, news.to - news.from)
  return Array.from({ length: pagesOfEvent }, (_, i) => news.from + (hash(seed, i, 3) % lasts))
}

/** What has been written about a subject by now, newest first; some of it never ages. */
export const pagesAbout = (subject: Subject, now: Millis): ReadonlyArray<Page> => {
  const { seed, isKnown } = subject
  const dated = datesOf(subject, now)
    .filter((at) => at <= now)
    .sort((a, b) => b - a)
    .map((at) => written(subject, hash(seed, at), Math.floor(at / 1000) * 1000))
  const [first, second, ...late] = [4, 5, 6, 7].map((place) => written(subject, hash(seed, 0, place), undefined))
  const article: Page = { seed: hash(seed, 1), subject, site: encyclopedia, publishedAt: undefined }
  return [isKnown ? article : undefined, first, second, ...dated, ...late].filter((page) => page !== undefined)
}

const articleText = (name: string): PageText => ({
  url: `https://${encyclopedia.host}/wiki/${encodeURIComponent(name.replaceAll(" ", "_"))}`,
  title: `${name} - ${encyclopedia.name}`,
  content: `${name} is described here with its history, its structure and its most notable events.`,
  author: "",
})

export const textOf = ({ seed, subject: { name }, site, publishedAt }: Page): PageText => {
  if (site === encyclopedia) return articleText(name)
  const dice = new Dice(seed)
  const headline = dice.pick(headlines(site))
  const title = headline.title(name)
  const date =
    publishedAt === undefined ? "" : `${new Date(publishedAt).toISOString().slice(0, 10).replaceAll("-", "/")}/`
  const path = `${date}${kebab(title).slice(0, 80) || "page"}-${seed}`
  return {
    url: `https://${site.host}/${path}${site.kind === "forum" ? `?page=${dice.between(1, 9)}` : ""}`,
    title: `${title} | ${site.name}`,
    content: headline.content(name),
    author: `${dice.pick(firstNames)} ${dice.pick(lastNames)}`,
  }
}
