import { hash, seedOf } from "../../../random.ts"
import type { Team } from "../../model.ts"
import { kebab } from "../text.ts"
import { firstNames, lastNames } from "../words.ts"

export interface Player {
  readonly name: string
  readonly slug: string
}

export type Rosters = (team: Team) => ReadonlyArray<Player>

const perTeam = 6

/** The best players of a team, the same in every game. */
export const makeRosters = (worldSeed: number): Rosters => {
  const seed = seedOf(worldSeed, "players")
  const known = new Map<number, ReadonlyArray<Player>>()
  const rosterOf = ({ id }: Team): ReadonlyArray<Player> => {
    const first = hash(seed, id, 1)
    const last = hash(seed, id, 2)
    return Array.from({ length: perTeam }, (_, i) => {
      // The lists' lengths are prime, so these strides repeat no name within a team.
      const name = `${firstNames[(first + i * 7) % firstNames.length]} ${lastNames[(last + i * 5) % lastNames.length]}`
      return { name, slug: kebab(name) }
    })
  }
  return (team) => {
    const roster = known.get(team.id) ?? rosterOf(team)
    known.set(team.id, roster)
    return roster
  }
}
