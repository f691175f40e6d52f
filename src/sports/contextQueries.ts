import type { SportsEvent } from "./model.ts"

export const querySets = ["default", "injuries", "lineups", "news", "social", "markets"] as const
export type QuerySet = (typeof querySets)[number]

export const contextSources = ["social", "online"] as const
export type ContextSource = (typeof contextSources)[number]

/** Other names of the sources. */
export const sourceAliases: Readonly<Record<string, ContextSource>> = {
  social: "social",
  x: "social",
  twitter: "social",
  online: "online",
  web: "online",
  search: "online",
  searxng: "online",
  news: "online",
}

export interface GeneratedQuery {
  readonly id: string
  readonly query: string
  readonly reason: string
}

interface Subject {
  readonly home: string
  readonly away: string
  readonly title: string
  readonly league: string
  readonly date: string
}

type Template = readonly [id: string, reason: string, query: (subject: Subject) => string]

const injuriesOf = (side: "home" | "away"): Template => [
  `injuries_${side}`,
  `players of the ${side} side who may not play`,
  (subject) => `${subject[side]} injury report ${subject.date}`,
]

const templates: Readonly<Record<QuerySet, ReadonlyArray<Template>>> = {
  default: [
    ["matchup", "what is said about the game", ({ away, home, date }) => `${away} vs ${home} ${date}`],
    ["injuries", "players who may not play", ({ away, home }) => `${away} ${home} injury report`],
    ["lineups", "who is going to play", ({ away, home }) => `${away} ${home} starting lineup`],
    ["news", "news of the league", ({ league, title }) => `${league} ${title} news`],
    ["odds", "how others rate the sides", ({ away, home }) => `${away} ${home} prediction`],
  ],
  injuries: [
    ["injuries", "players who may not play", ({ away, home }) => `${away} ${home} injury report`],
    injuriesOf("home"),
    injuriesOf("away"),
    ["questionable", "doubtful players", ({ away, home }) => `${away} ${home} questionable out`],
    ["return", "players who come back", ({ away, home }) => `${away} ${home} returns from injury`],
  ],
  lineups: [
    ["lineups", "who is going to play", ({ away, home }) => `${away} ${home} starting lineup`],
    ["lineup_home", "who plays for the home side", ({ home, date }) => `${home} lineup ${date}`],
    ["lineup_away", "who plays for the away side", ({ away, date }) => `${away} lineup ${date}`],
    ["scratches", "late changes", ({ away, home }) => `${away} ${home} late scratch`],
    ["rest", "players who are rested", ({ away, home }) => `${away} ${home} rested load management`],
  ],
  news: [
    ["news", "news of the game", ({ away, home }) => `${away} ${home} news`],
    ["news_home", "news of the home side", ({ home }) => `${home} news`],
    ["news_away", "news of the away side", ({ away }) => `${away} news`],
    ["preview", "previews", ({ away, home, date }) => `${away} vs ${home} preview ${date}`],
    ["league", "news of the league", ({ league }) => `${league} news today`],
  ],
  social: [
    ["matchup", "posts about the game", ({ away, home }) => `${away} ${home}`],
    ["home", "posts about the home side", ({ home }) => `${home} game`],
    ["away", "posts about the away side", ({ away }) => `${away} game`],
    ["title", "posts with the title of the game", ({ title }) => `"${title}"`],
    ["league", "posts about the league", ({ league, date }) => `${league} ${date}`],
  ],
  markets: [
    ["odds", "odds of others", ({ away, home }) => `${away} ${home} odds`],
    ["line", "moves of the line", ({ away, home }) => `${away} ${home} line movement`],
    ["totals", "expected points", ({ away, home }) => `${away} ${home} over under`],
    ["prediction", "predictions", ({ away, home, date }) => `${away} vs ${home} prediction ${date}`],
    ["market", "what is said about the market", ({ title }) => `Polymarket ${title}`],
  ],
}

/** Queries about a game, the most useful first. An event that is no game is known by its title alone. */
export const generateQueries = (
  { game, title, eventDate }: SportsEvent,
  set: QuerySet,
  most: number,
): ReadonlyArray<GeneratedQuery> => {
  const [first = title, second = ""] = title.split(/ vs\.? /)
  const subject: Subject = {
    home: game?.home ?? second,
    away: game?.away ?? first,
    title,
    league: game?.league?.toUpperCase() ?? "",
    date: eventDate ?? "",
  }
  const seen = new Set<string>()
  return templates[set]
    .flatMap(([id, reason, write]) => {
      const query = write(subject).replaceAll(/\s+/g, " ").trim()
      if (query === "" || seen.has(query)) return []
      seen.add(query)
      return [{ id, query, reason }]
    })
    .slice(0, most)
}
