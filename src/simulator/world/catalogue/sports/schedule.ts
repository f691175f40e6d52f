import { Dice, hash, seedOf } from "../../../random.ts"
import type { DraftSource, EventDraft, EventPlan, Millis, Team } from "../../model.ts"
import { civil, day, easternOn, hour, second } from "../eastern.ts"
import { type Fixture, playContest } from "./contest.ts"
import { type Coverage, eventsOf, partsOf } from "./events.ts"
import { type League, leagues } from "./leagues.ts"
import { makeRosters, type Rosters } from "./teams.ts"

export interface ScheduleOptions {
  readonly seed: number
  readonly density: number
  /** In league order. */
  readonly teams: ReadonlyArray<ReadonlyArray<Team>>
}

const fixturesOn = (seed: number, index: number, teams: ReadonlyArray<Team>, date: number): ReadonlyArray<Fixture> => {
  const league = leagues[index] as League
  const dice = new Dice(seed, date * 64 + index)
  const games = league.games[civil(date * day).weekday] as number
  const playing = dice.sample(teams, games * 2)
  return Array.from({ length: games }, (_, i) => ({
    id: 1_000_000 + (date - 19_000) * 1000 + index * 20 + i,
    league,
    date,
    home: playing[2 * i] as Team,
    away: playing[2 * i + 1] as Team,
    startsAt: easternOn(date, dice.between(...league.hours), dice.pick([0, 10, 30, 40])),
  }))
}

export interface Announcement {
  readonly announced: Millis
  readonly relevantUntil: Millis
  readonly coverage: Coverage
}

/** The events of a game, listed one after the other from the moment when it is announced. */
export const draftsOfFixture = (
  seed: number,
  rosters: Rosters,
  fixture: Fixture,
  { announced, relevantUntil, coverage }: Announcement,
): ReadonlyArray<EventDraft> => {
  let plans: ReadonlyArray<Omit<EventPlan, "createdAt">> | undefined
  const planned = () => {
    plans ??= eventsOf(playContest(seed, rosters, fixture), coverage)
    return plans
  }
  return partsOf(fixture.league.sport, coverage).map((_, i) => ({
    createdAt: announced + i * 5 * second,
    relevantUntil,
    make: (createdAt) => ({ ...(planned()[i] as Omit<EventPlan, "createdAt">), createdAt }),
  }))
}

const announcementOf = (seed: number, { league, date, id, startsAt }: Fixture): Announcement => ({
  announced: (date - league.announcedDays) * day + (hash(seed, id) % (23 * hour)),
  relevantUntil: startsAt,
  coverage: "whole",
})

export const gameEvents = ({ seed, density, teams }: ScheduleOptions): DraftSource => {
  const rosters = makeRosters(seed)
  const fixtures = seedOf(seed, "fixtures")
  const kept = seedOf(seed, "games kept")
  return {
    lookbackDays: Math.max(...leagues.map(({ announcedDays }) => announcedDays)),
    draftsOf: (announcedOn) =>
      leagues.flatMap((league, index) =>
        fixturesOn(fixtures, index, teams[index] as ReadonlyArray<Team>, announcedOn + league.announcedDays)
          .filter(({ id }) => hash(kept, id) / 0x100000000 < density)
          .flatMap((fixture) => draftsOfFixture(seed, rosters, fixture, announcementOf(seed, fixture))),
      ),
  }
}
