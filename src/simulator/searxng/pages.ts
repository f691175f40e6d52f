import { Dice, hash } from "../random.ts"
import { firstNames, kebab, lastNames } from "../world/catalogue/text.ts"
import type { Millis } from "../world/model.ts"
import type { Subject } from "./Subjects.ts"
import { encyclopedia, type Site, sitesAbout } from "./sites.ts"

/** Templates for the title and content of a page. */
interface Headline {
  readonly title: (subject: string) => string
  readonly content: (subject: string) => string
}

const of = (title: string, content: string): Headline => ({
  title: (subject) => title.replace("*", () => subject),
  content: (subject) => content.replace("*", () => subject),
})

const english = {
  news: [
    of("*: what we know so far", "Officials and insiders describe where things stand with *. Our desk is following."),
    of("*: latest updates", "Live coverage. The latest on *, with reactions and the numbers that matter."),
    of("Five takeaways on *", "From the surprise to the shrug: five things the last days taught us about *."),
    of("Why * matters this week", "The calendar is full and eyes are on *. Here is why it counts."),
    of("* – analysts divided", "Some see momentum, others noise. What people who follow * for a living say."),
  ],
  analysis: [
    of(
      "*: a closer look at the odds",
      "We compare the forecasts for * with what markets imply and where they disagree.",
    ),
    of("Base rates and *", "How often did something like * happen before? A short note on reference classes."),
  ],
  forum: [
    of("Discussion: *", "Thread about *. 214 replies, newest: I would not read too much into it."),
    of("Anyone else following *?", "What is your view on *? Sources welcome, please stay civil."),
  ],
  betting: [of("* picks and predictions", "Our best bets for *, updated every hour. 18+, gamble responsibly.")],
}

const translated: Readonly<Record<string, ReadonlyArray<Headline>>> = {
  de: [of("*: Was wir bisher wissen", "Der Stand der Dinge zu * und die Reaktionen im Überblick.")],
  fr: [of("* : ce que l’on sait", "Le point sur * et les réactions de la journée.")],
  es: [of("*: todo lo que se sabe", "Las claves de * y las reacciones de la jornada.")],
  pt: [of("*: o que se sabe até agora", "Os últimos acontecimentos sobre * e as reações do dia.")],
}

const headlines = ({ kind, language }: Site): ReadonlyArray<Headline> =>
  translated[language] ?? (kind === "reference" ? english.news : english[kind])

/** A web page, the same for every engine that finds it. */
export interface WebPage {
  /** Identifies the page. */
  readonly seed: number
  readonly subject: Subject
  readonly site: Site
  readonly publishedAt: Millis | undefined
}

/** The text of a page, generated only for results. */
interface PageText {
  readonly url: string
  readonly title: string
  readonly content: string
  readonly author: string
}

const day = 86_400_000
const pagesOfEvent = 10
const daysOfNews = 21

const pageFrom = (subject: Subject, seed: number, publishedAt: Millis | undefined): WebPage => {
  const sites = sitesAbout(subject.topic)
  return { seed, subject, site: sites[hash(seed, 2) % sites.length] as Site, publishedAt }
}

const datesOf = ({ seed, news }: Subject, now: Millis): ReadonlyArray<Millis> => {
  if (news === "always") {
    const today = Math.floor(now / day)
    return Array.from({ length: daysOfNews }, (_, i) => (today - i) * day + (hash(seed, today - i) % day))
  }
  const duration = Math.max(1, news.to - news.from)
  return Array.from({ length: pagesOfEvent }, (_, i) => news.from + (hash(seed, i, 3) % duration))
}

/** Pages about a subject by now, newest first, plus some without a date. */
export const pagesAbout = (subject: Subject, now: Millis): ReadonlyArray<WebPage> => {
  const { seed, hasArticle } = subject
  const dated = datesOf(subject, now)
    .filter((at) => at <= now)
    .sort((a, b) => b - a)
    .map((at) => pageFrom(subject, hash(seed, at), Math.floor(at / 1000) * 1000))
  const [first, second, ...late] = [4, 5, 6, 7].map((index) => pageFrom(subject, hash(seed, 0, index), undefined))
  const article: WebPage = { seed: hash(seed, 1), subject, site: encyclopedia, publishedAt: undefined }
  return [hasArticle ? article : undefined, first, second, ...dated, ...late].filter((page) => page !== undefined)
}

const articleText = (name: string): PageText => ({
  url: `https://${encyclopedia.host}/wiki/${encodeURIComponent(name.replaceAll(" ", "_"))}`,
  title: `${name} - ${encyclopedia.name}`,
  content: `${name} is described here with its history, its structure and its most notable events.`,
  author: "",
})

export const pageText = ({ seed, subject: { name }, site, publishedAt }: WebPage): PageText => {
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
