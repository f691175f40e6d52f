import type { GeneratedQuery } from "#src/context/model.ts"
import { allOf, anyOf, firstQueries, nameOf } from "#src/context/terms.ts"
import { keywordsOf } from "./keywords.ts"
import type { ShownMarket } from "./ShownMarket.ts"

export const marketQuerySets = ["default", "news", "social", "markets"] as const
export type MarketQuerySet = (typeof marketQuerySets)[number]

interface Subject {
  readonly question: string
  readonly event: string
  readonly eventSlug: string
  /** What the question is about, without its common words. */
  readonly keywords: ReadonlyArray<string>
  /** Outcomes that are names. */
  readonly outcomes: ReadonlyArray<string>
  readonly topic: string
  /** The month in which the market ends. */
  readonly month: string
}

type Template = Omit<GeneratedQuery, "query" | "social" | "isRecent"> & {
  readonly words: (subject: Subject) => string
  readonly social: (subject: Subject) => string
  readonly isRecent?: true
}

const words = ({ keywords }: Subject) => allOf(...keywords)
const named = ({ keywords }: Subject) => allOf(...keywords.map((keyword) => anyOf([keyword])))
const anyWord = (text: string) => anyOf(text.split(" "))

const question: Template = {
  id: "question",
  reason: "what is said about the question of the market",
  words: (subject) => subject.question,
  social: named,
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
  words: (subject) => (subject.month === "" ? "" : allOf(words(subject), subject.month)),
  social: (subject) => (subject.month === "" ? "" : allOf(named(subject), anyWord("deadline expected soon tomorrow"))),
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
  words: (subject) => (subject.topic === "" ? "" : allOf(subject.topic, subject.keywords[0] ?? "", "latest")),
  social: (subject) => (subject.topic === "" ? "" : allOf(anyOf([subject.topic]), anyOf(subject.keywords.slice(0, 1)))),
  isRecent: true,
}
const market: Template = {
  id: "market",
  reason: "what traders say about the market",
  words: (subject) => allOf("Polymarket", subject.question),
  social: (subject) => allOf(anyOf(subject.keywords.slice(0, 1)), anyWord("polymarket market trade position")),
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

const monthOf = (at: Date | null) =>
  at === null ? "" : at.toLocaleString("en-US", { month: "long", year: "numeric", timeZone: "UTC" })

/** Queries about a market, the most useful first. */
export const generateMarketQueries = (
  { title, eventTitle, eventSlug, outcomes: names, category, tags, endsAt }: ShownMarket,
  set: MarketQuerySet,
  most: number,
): ReadonlyArray<GeneratedQuery> => {
  const asked = (title ?? eventTitle ?? "").replace(/\?\s*$/, "")
  const subject: Subject = {
    question: asked.slice(0, 200),
    event: nameOf((eventTitle ?? "").replace(/\?\s*$/, "")),
    eventSlug: /^[\w-]{1,120}$/.test(eventSlug ?? "") ? (eventSlug ?? "") : "",
    keywords: keywordsOf(asked).map(nameOf),
    outcomes: names
      .filter((name) => !plainOutcomes.has(name.toLowerCase()))
      .slice(0, mostOutcomes)
      .map(nameOf),
    topic: nameOf((category ?? tags[0] ?? "").replaceAll("-", " ")),
    month: monthOf(endsAt),
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
