import { hash, seedOf } from "../../../random.ts"
import type { Team } from "../../model.ts"
import { firstNames, kebab, lastNames } from "../text.ts"
import { type League, leagues, type SportName } from "./leagues.ts"
import { teamNames } from "./teamNames.ts"

const hasDraws: ReadonlyArray<SportName> = ["soccer", "hockey"]

const recordOf = (seed: number, id: number, sport: SportName): string => {
  const of = (n: number, part: number) => hash(seed, id, part) % n
  const results = [6 + of(24, 1), 5 + of(22, 2)]
  return (hasDraws.includes(sport) ? [...results, 1 + of(9, 3)] : results).join("-")
}

const teamOf = (seed: number, league: League, line: string, id: number): Team => {
  const space = line.indexOf(" ")
  const named = line.slice(space + 1)
  return {
    id,
    name: named.replaceAll("|", ""),
    league: league.code,
    abbreviation: line.slice(0, space),
    alias: named.split("|")[1] as string,
    color: `#${(hash(seed, id, 4) & 0xffffff).toString(16).padStart(6, "0")}`,
    record: recordOf(seed, id, league.sport),
  }
}

/** The teams of every league, in league order. */
export const makeTeams = (worldSeed: number): ReadonlyArray<ReadonlyArray<Team>> => {
  const seed = seedOf(worldSeed, "teams")
  return leagues.map((league, l) =>
    (teamNames[league.code] ?? "")
      .trim()
      .split("\n")
      .map((line, i) => teamOf(seed, league, line, 100_001 + l * 100 + i)),
  )
}

export interface Player {
  readonly name: string
  readonly slug: string
}

export type Rosters = (team: Team) => ReadonlyArray<Player>

const perTeam = 6

/** The key players of a team, the same in every game. */
export const makeRosters = (worldSeed: number): Rosters => {
  const seed = seedOf(worldSeed, "players")
  const cache = new Map<number, ReadonlyArray<Player>>()
  const rosterOf = ({ id }: Team): ReadonlyArray<Player> => {
    const first = hash(seed, id, 1)
    const last = hash(seed, id, 2)
    return Array.from({ length: perTeam }, (_, i) => {
      // The list lengths are prime, so these strides repeat no name within a team.
      const name = `${firstNames[(first + i * 7) % firstNames.length]} ${lastNames[(last + i * 5) % lastNames.length]}`
      return { name, slug: kebab(name) }
    })
  }
  return (team) => {
    const roster = cache.get(team.id) ?? rosterOf(team)
    cache.set(team.id, roster)
    return roster
  }
}
