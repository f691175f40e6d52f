export type SportName = "basketball" | "football" | "baseball" | "hockey" | "soccer" | "tennis" | "counterStrike"

export interface League {
  readonly code: string
  readonly name: string
  readonly sport: SportName
  readonly sportId: number
  readonly seriesId: string
  readonly tags: ReadonlyArray<string>
  /** The team that the venue names first. */
  readonly ordering: "home" | "away"
  /** Games on Sunday, Monday … Saturday. There are no seasons: every league plays every day. */
  readonly games: ReadonlyArray<number>
  /** First and last hour, in New York, at which games start. */
  readonly hours: readonly [number, number]
  /** Days between announcement and game. */
  readonly announcedDays: number
  /** Trading activity of its games relative to other leagues. */
  readonly weight: number
}

export const leagues: ReadonlyArray<League> = [
  {
    code: "nba",
    name: "NBA",
    sport: "basketball",
    sportId: 34,
    seriesId: "10345",
    tags: ["sports", "games", "basketball", "nba"],
    ordering: "away",
    games: [3, 2, 2, 3, 2, 3, 3],
    hours: [18, 22],
    announcedDays: 5,
    weight: 6,
  },
  {
    code: "nfl",
    name: "NFL",
    sport: "football",
    sportId: 10,
    seriesId: "10187",
    tags: ["sports", "games", "football", "nfl"],
    ordering: "away",
    games: [4, 1, 1, 1, 1, 1, 1],
    hours: [13, 20],
    announcedDays: 7,
    weight: 10,
  },
  {
    code: "mlb",
    name: "MLB",
    sport: "baseball",
    sportId: 8,
    seriesId: "10062",
    tags: ["sports", "games", "baseball", "mlb"],
    ordering: "away",
    games: [2, 1, 2, 1, 1, 2, 2],
    hours: [13, 22],
    announcedDays: 4,
    weight: 3,
  },
  {
    code: "nhl",
    name: "NHL",
    sport: "hockey",
    sportId: 35,
    seriesId: "10346",
    tags: ["sports", "games", "hockey", "nhl"],
    ordering: "away",
    games: [2, 1, 1, 1, 2, 1, 2],
    hours: [18, 22],
    announcedDays: 5,
    weight: 2,
  },
  {
    code: "epl",
    name: "Premier League",
    sport: "soccer",
    sportId: 2,
    seriesId: "10188",
    tags: ["sports", "games", "soccer", "epl"],
    ordering: "home",
    games: [1, 1, 1, 1, 1, 1, 2],
    hours: [7, 15],
    announcedDays: 7,
    weight: 4,
  },
  {
    code: "lal",
    name: "La Liga",
    sport: "soccer",
    sportId: 3,
    seriesId: "10193",
    tags: ["sports", "games", "soccer", "lal"],
    ordering: "home",
    games: [1, 1, 1, 1, 1, 1, 2],
    hours: [8, 16],
    announcedDays: 7,
    weight: 3,
  },
  {
    code: "ucl",
    name: "UEFA Champions League",
    sport: "soccer",
    sportId: 13,
    seriesId: "10204",
    tags: ["sports", "games", "soccer", "ucl", "champions-league"],
    ordering: "home",
    games: [1, 1, 1, 2, 1, 1, 1],
    hours: [12, 15],
    announcedDays: 7,
    weight: 5,
  },
  {
    code: "mls",
    name: "MLS",
    sport: "soccer",
    sportId: 33,
    seriesId: "10189",
    tags: ["sports", "games", "soccer", "mls"],
    ordering: "home",
    games: [1, 1, 1, 1, 1, 1, 1],
    hours: [17, 22],
    announcedDays: 6,
    weight: 1,
  },
  {
    code: "atp",
    name: "ATP",
    sport: "tennis",
    sportId: 45,
    seriesId: "10365",
    tags: ["sports", "games", "tennis", "atp"],
    ordering: "home",
    games: [2, 2, 2, 2, 2, 2, 2],
    hours: [0, 22],
    announcedDays: 2,
    weight: 2,
  },
  {
    code: "cs2",
    name: "Counter-Strike 2",
    sport: "counterStrike",
    sportId: 37,
    seriesId: "10310",
    tags: ["sports", "games", "esports", "cs2"],
    ordering: "home",
    games: [2, 2, 2, 2, 2, 2, 2],
    hours: [3, 15],
    announcedDays: 3,
    weight: 2,
  },
]
