import type { GeneratedQuery } from "#src/context/model.ts"
import { allOf, anyOf, firstQueries, nameOf } from "#src/context/terms.ts"
import type { GameTeams } from "#src/domain/Game.ts"
import type { SportsEvent } from "./model.ts"
import { type PlayerMarket, playersOf } from "./players.ts"

export const querySets = ["default", "injuries", "lineups", "news", "social", "markets"] as const
export type QuerySet = (typeof querySets)[number]

/** How many players one query names. */
const mostPlayers = 3

interface Side {
  readonly name: string
  /** The name, and the short one of the title. */
  readonly names: ReadonlyArray<string>
}

interface Subject {
  readonly home: Side
  readonly away: Side
  readonly title: string
  readonly league: string
  readonly date: string
  readonly players: ReadonlyArray<string>
}

interface Template {
  readonly id: string
  readonly reason: string
  readonly words: (subject: Subject) => string
  readonly social: (subject: Subject) => string
  /** Old pages are of no use. */
  readonly isRecent?: true
  readonly needsPlayers?: true
}

const sides = ({ away, home }: Subject) => allOf(away.name, home.name)
const both = ({ away, home }: Subject) => allOf(anyOf(away.names), anyOf(home.names))
const either = ({ away, home }: Subject) => anyOf([...away.names, ...home.names])
const anyWord = (words: string) => anyOf(words.split(" "))

const about = (
  id: string,
  reason: string,
  words: Template["words"],
  social: Template["social"],
  more: Pick<Template, "isRecent" | "needsPlayers"> = {},
): Template => ({ id, reason, words, social, ...more })

const recent = { isRecent: true } as const

const ofSide = (side: "home" | "away", id: string, what: string, words: string, social: string): Template =>
  about(
    `${id}_${side}`,
    `${what} of the ${side} side`,
    (subject) => allOf(subject[side].name, words),
    (subject) => allOf(anyOf(subject[side].names), anyWord(social)),
    recent,
  )

/** Players that the game's markets are about, the most traded first. */
const players = (what: string, words: string, social: string): Template =>
  about(
    "players",
    `${what} the players that the game's markets are about`,
    (subject) => allOf(...subject.players, words),
    (subject) => allOf(anyOf(subject.players), anyWord(social)),
    { isRecent: true, needsPlayers: true },
  )

const matchup = about(
  "matchup",
  "what is said about the game",
  ({ away, home, date }) => allOf(away.name, home.name === "" ? "" : "vs", home.name, date),
  both,
)
const injuries = about(
  "injuries",
  "players who may not play",
  (subject) => allOf(sides(subject), "injury report"),
  (subject) => allOf(either(subject), anyWord("injury injured injuries questionable doubtful")),
  recent,
)
const lineups = about(
  "lineups",
  "who is going to play",
  (subject) => allOf(sides(subject), "starting lineup"),
  (subject) => allOf(either(subject), anyWord("lineup lineups starting starters")),
  recent,
)
const news = about(
  "news",
  "news of both sides",
  (subject) => allOf(sides(subject), "news"),
  (subject) => allOf(either(subject), anyWord("news breaking report")),
  recent,
)
const odds = about(
  "odds",
  "how others rate the sides",
  (subject) => allOf(sides(subject), "odds prediction"),
  (subject) => allOf(either(subject), anyWord("odds pick picks prediction bet")),
)
const league = about(
  "league",
  "news of the league",
  (subject) => allOf(subject.league, "news", subject.date),
  (subject) => (subject.league === "" ? "" : allOf(anyOf([subject.league]), anyWord("news injury trade lineup"))),
  recent,
)

const templates: Readonly<Record<QuerySet, ReadonlyArray<Template>>> = {
  default: [matchup, injuries, players("news of", "news", "news injury out"), lineups, news, odds],
  injuries: [
    injuries,
    players("injuries of", "injury status", "injury injured questionable out"),
    ofSide("home", "injuries", "injuries", "injury report", "injury injured questionable out"),
    ofSide("away", "injuries", "injuries", "injury report", "injury injured questionable out"),
    about(
      "return",
      "players who come back",
      (subject) => allOf(sides(subject), "returns from injury"),
      (subject) => allOf(either(subject), anyWord("returns cleared activated")),
      recent,
    ),
  ],
  lineups: [
    lineups,
    players("lineups with", "starting lineup", "starting lineup bench"),
    ofSide("home", "lineup", "the lineup", "starting lineup", "lineup starting starters"),
    ofSide("away", "lineup", "the lineup", "starting lineup", "lineup starting starters"),
    about(
      "scratches",
      "late changes, and players who are rested",
      (subject) => allOf(sides(subject), "late scratch rested"),
      (subject) => allOf(either(subject), anyWord("scratched scratch rested resting")),
      recent,
    ),
  ],
  news: [
    news,
    players("news of", "news", "news breaking report"),
    ofSide("home", "news", "news", "news", "news breaking report"),
    ofSide("away", "news", "news", "news", "news breaking report"),
    league,
  ],
  social: [
    matchup,
    ofSide("home", "fans", "what fans say", "fans reaction", "game tonight win"),
    ofSide("away", "fans", "what fans say", "fans reaction", "game tonight win"),
    about(
      "players",
      "what is said about the players that the game's markets are about",
      (subject) => allOf(...subject.players),
      (subject) => anyOf(subject.players),
      { needsPlayers: true },
    ),
    league,
  ],
  markets: [
    odds,
    about(
      "line",
      "moves of the line",
      (subject) => allOf(sides(subject), "line movement spread"),
      (subject) => allOf(either(subject), anyWord("line spread moneyline")),
      recent,
    ),
    players("lines of", "props over under", "over under prop props"),
    about(
      "totals",
      "expected points",
      (subject) => allOf(sides(subject), "over under total"),
      (subject) => allOf(either(subject), anyWord("over under total totals")),
    ),
    about(
      "market",
      "what is said about the market",
      ({ title }) => allOf("Polymarket", title),
      (subject) => allOf(either(subject), "polymarket"),
    ),
  ],
}

/** The part of the title that names the side, which is often shorter than its name. */
const sideOf = (name: string | null | undefined, titled: string, parts: ReadonlyArray<string>): Side => {
  const full = nameOf(name ?? titled)
  const words = full.toLowerCase()
  const short = parts.find((part) => part !== "" && words.includes(part.toLowerCase())) ?? ""
  return { name: full, names: [full, short].filter((each) => each !== "") }
}

/** What queries are made of. */
interface QueriedGame extends Pick<SportsEvent, "title" | "eventDate"> {
  readonly game: GameTeams | null
  /** Of all its events. */
  readonly markets: ReadonlyArray<PlayerMarket>
}

/** Queries about a game, the most useful first. An event that is no game is known by its title alone. */
export const generateQueries = (
  { game, title, eventDate, markets }: QueriedGame,
  set: QuerySet,
  most: number,
): ReadonlyArray<GeneratedQuery> => {
  // Further events of a game add what they are about: "Lakers vs. Celtics - Halftime Result".
  const parts = title
    .replace(/ - [^-]*$/, "")
    .split(/ vs\.? /)
    .map(nameOf)
  const [first = "", second = ""] = parts
  const subject: Subject = {
    home: sideOf(game?.home, second, parts),
    away: sideOf(game?.away, first, parts),
    title: nameOf(title),
    league: nameOf(game?.league?.toUpperCase() ?? ""),
    date: eventDate ?? "",
    players: playersOf(markets).map(nameOf).slice(0, mostPlayers),
  }
  const candidates = templates[set].flatMap(
    ({ id, reason, words, social, isRecent = false, needsPlayers }): ReadonlyArray<GeneratedQuery> =>
      needsPlayers && subject.players.length === 0
        ? []
        : [{ id, reason, query: words(subject), social: social(subject), isRecent }],
  )
  return firstQueries(candidates, most)
}
