import { hash, seedOf } from "../../../random.ts"
import type { Team } from "../../model.ts"
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

/** The teams of every league, in its order. */
export const makeTeams = (worldSeed: number): ReadonlyArray<ReadonlyArray<Team>> => {
  const seed = seedOf(worldSeed, "teams")
  return leagues.map((league, l) =>
    (teamNames[league.code] ?? "")
      .trim()
      .split("\n")
      .map((line, i) => teamOf(seed, league, line, 100_001 + l * 100 + i)),
  )
}
