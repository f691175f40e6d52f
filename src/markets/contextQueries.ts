import type { GeneratedQuery } from "#src/context/model.ts"
import { allOf, anyOf, firstQueries, nameOf } from "#src/context/terms.ts"
import { type Keywords, keywordsOf } from "./keywords.ts"
import type { ShownMarket } from "./ShownMarket.ts"

export const marketQuerySets = ["default", "news", "social", "markets"] as const
export type MarketQuerySet = (typeof marketQuerySets)[number]

interface Subject {
  readonly question: string
  readonly event: string
  readonly eventSlug: string
  readonly keywords: Keywords
  /** Outcomes that are names. */
  readonly outcomes: ReadonlyArray<string>
  readonly topic: string
  /** The day on which the market ends, in words; none if it is not known. */
  readonly days: ReadonlyArray<string>
}

type Template = Omit<GeneratedQuery, "query" | "social" | "isRecent"> & {
  readonly words: (subject: Subject) => string
  readonly social: (subject: Subject) => string
  readonly isRecent?: true
}

const words = ({ keywords }: Subject) => allOf(...keywords.all)
/** Names, or the other words of a question without names. */
const named = ({ keywords: { names, others } }: Subject) =>
  allOf(...(names.length === 0 ? others.slice(0, 2) : names).map((name) => anyOf([name])))
const first = ({ keywords: { names, all } }: Subject) => names[0] ?? all[0] ?? ""
const anyWord = (text: string) => anyOf(text.split(" "))

const question: Template = {
  id: "question",
  reason: "what is said about the question of the market",
  words: (subject) => subject.question,
  social: (subject) => allOf(named(subject), anyOf(subject.keywords.others)),
}
const event: Template = {
  id: "event",
  reason: "the event of the market, and posts that link to it",
  words: (subject) => subject.event,
  social: ({ event, eventSlug }) =>
    eventSlug === ""
      ? anyOf([event])
      : `(${[anyOf([event]), `url:"polymarket.com/event/${eventSlug}"`].filter(Boolean).join(" OR ")})`,
}
const news: Template = {
  id: "news",
  reason: "news of what the market is about",
  words: (subject) => allOf(words(subject), "news"),
  social: (subject) => allOf(named(subject), anyWord("news breaking report")),
  isRecent: true,
}
const outcomes: Template = {
  id: "outcomes",
  reason: "the outcomes that the market names",
  words: (subject) => (subject.outcomes.length === 0 ? "" : allOf(...subject.outcomes, subject.topic)),
  social: (subject) => anyOf(subject.outcomes),
}
const deadline: Template = {
  id: "deadline",
  reason: "what is due when the market ends",
  words: (subject) => (subject.days.length === 0 ? "" : allOf(words(subject), ...subject.days.slice(0, 1))),
  social: (subject) => (subject.days.length === 0 ? "" : allOf(named(subject), anyOf(subject.days))),
}
const odds: Template = {
  id: "odds",
  reason: "how others rate the chances",
  words: (subject) => allOf(words(subject), "odds forecast"),
  social: (subject) => allOf(named(subject), anyWord("odds forecast polymarket kalshi probability")),
}
const topic: Template = {
  id: "topic",
  reason: "news of the category of the market",
  words: (subject) => (subject.topic === "" ? "" : allOf(subject.topic, first(subject), "latest")),
  social: (subject) => (subject.topic === "" ? "" : allOf(anyOf([subject.topic]), anyOf([first(subject)]))),
  isRecent: true,
}
const market: Template = {
  id: "market",
  reason: "what traders say about the market",
  words: (subject) => allOf("Polymarket", subject.question),
  social: (subject) => allOf(anyOf([first(subject)]), anyWord("polymarket market trade position")),
}

const templates: Readonly<Record<MarketQuerySet, ReadonlyArray<Template>>> = {
  default: [question, event, news, outcomes, odds, deadline],
  news: [news, question, topic, deadline, event],
  social: [event, question, outcomes, market, topic],
  markets: [odds, market, event, outcomes, deadline],
}

/** Outcomes that say nothing about the subject. */
const plainOutcomes = new Set(["yes", "no", "over", "under", "up", "down", "odd", "even"])
const mostOutcomes = 4

/** As the venue's questions write it: its days are those of New York. */
const daysOf = (at: Date | null) =>
  at === null
    ? []
    : (["long", "short"] as const).map((month) =>
        at.toLocaleString("en-US", { month, day: "numeric", timeZone: "America/New_York" }),
      )

const withoutEnd = (text: string | null) => (text ?? "").replace(/[?.…\s]+$/u, "")

/** What queries are made of. */
export type QueriedMarket = Pick<
  ShownMarket,
  "title" | "eventTitle" | "eventSlug" | "outcomes" | "category" | "tags" | "endsAt"
>

/** Queries about a market, the most useful first. */
export const generateMarketQueries = (
  { title, eventTitle, eventSlug, outcomes: names, category, tags, endsAt }: QueriedMarket,
  set: MarketQuerySet,
  most: number,
): ReadonlyArray<GeneratedQuery> => {
  const asked = withoutEnd(title ?? eventTitle)
  const subject: Subject = {
    question: asked.slice(0, 200),
    event: nameOf(withoutEnd(eventTitle)),
    eventSlug: /^[\w-]{1,120}$/.test(eventSlug ?? "") ? (eventSlug ?? "") : "",
    keywords: keywordsOf(asked),
    outcomes: names
      .filter((name) => !plainOutcomes.has(name.toLowerCase()))
      .slice(0, mostOutcomes)
      .map(nameOf),
    topic: nameOf((category ?? tags[0] ?? "").replaceAll("-", " ")),
    days: daysOf(endsAt),
  }
  const candidates = templates[set].map(({ id, reason, words, social, isRecent = false }) => ({
    id,
    reason,
    query: words(subject),
    social: social(subject),
    isRecent,
  }))
  return firstQueries(candidates, most)
}
