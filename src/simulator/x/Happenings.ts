import { isLive } from "../gamma/game.ts"
import type { Simulation } from "../Simulation.ts"
import type { EventPlan, Millis } from "../world/model.ts"
import type { Beat } from "./accounts.ts"

const beatOf = ({ category }: EventPlan): Beat => {
  if (category === "sports" || category === "crypto" || category === "politics") return category
  return "world"
}

/** How many of the newest events of a beat are talked about. */
const inTalk = 60

/** How long it may take until people talk about something new. */
const rumourMillis = 300_000

/** What there is to talk about at a moment of the past: the same whenever it is asked for. */
export class Happenings {
  readonly #sim: Simulation
  readonly #plans: Readonly<Record<Beat, Array<EventPlan>>> = { crypto: [], sports: [], politics: [], world: [] }
  readonly #games = new Set<number>()
  readonly #talk = new Map<Beat, { readonly by: Millis; readonly plans: ReadonlyArray<EventPlan> }>()
  #listed = 0

  constructor(sim: Simulation) {
    this.#sim = sim
  }

  /** The newest events of a beat that existed some minutes before and were not over, oldest first. */
  of(beat: Beat, at: Millis): ReadonlyArray<EventPlan> {
    const by = at - (at % rumourMillis)
    const known = this.#talk.get(beat)
    if (known?.by === by) return known.plans
    const plans = this.#asOf(beat, by)
    this.#talk.set(beat, { by, plans })
    return plans
  }

  #asOf(beat: Beat, at: Millis): ReadonlyArray<EventPlan> {
    this.#catchUp()
    const plans = this.#plans[beat]
    let low = 0
    let high = plans.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((plans[middle] as EventPlan).createdAt <= at) low = middle + 1
      else high = middle
    }
    return plans.slice(Math.max(0, low - inTalk), low).filter(({ endsAt }) => endsAt > at)
  }

  liveGames(at: Millis): ReadonlyArray<EventPlan> {
    return this.of("sports", at).filter(({ game }) => game !== undefined && isLive(game, at))
  }

  #catchUp(): void {
    const { events } = this.#sim.made.world.venue
    for (; this.#listed < events.length; this.#listed++) {
      const plan = events[this.#listed]?.plan
      if (plan === undefined || plan.markets[0]?.rule.kind === "updown") continue
      // Further events of the same game are about the same thing.
      if (plan.game !== undefined && this.#games.has(plan.game.id)) continue
      if (plan.game !== undefined) this.#games.add(plan.game.id)
      this.#plans[beatOf(plan)].push(plan)
    }
  }
}
