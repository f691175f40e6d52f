import { isLive } from "../gamma/game.ts"
import type { Simulation } from "../Simulation.ts"
import type { EventPlan, Millis } from "../world/model.ts"
import type { Beat } from "./accounts.ts"

const beatOf = ({ category }: EventPlan): Beat => {
  if (category === "sports" || category === "crypto" || category === "politics") return category
  return "world"
}

/** How many of the newest events of a beat are discussed. */
const maxDiscussed = 60

/** New events are picked up at these intervals. */
const refreshMillis = 300_000

/** The events discussed at a past time; the result does not depend on when it is queried. */
export class CurrentEvents {
  readonly #sim: Simulation
  readonly #plans: Readonly<Record<Beat, Array<EventPlan>>> = { crypto: [], sports: [], politics: [], world: [] }
  readonly #games = new Set<number>()
  readonly #cached = new Map<Beat, { readonly by: Millis; readonly plans: ReadonlyArray<EventPlan> }>()
  #listed = 0

  constructor(sim: Simulation) {
    this.#sim = sim
  }

  /** The newest events of a beat that existed some minutes before and were not over, oldest first. */
  of(beat: Beat, at: Millis): ReadonlyArray<EventPlan> {
    const by = at - (at % refreshMillis)
    const cached = this.#cached.get(beat)
    if (cached?.by === by) return cached.plans
    const plans = this.#asOf(beat, by)
    this.#cached.set(beat, { by, plans })
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
    return plans.slice(Math.max(0, low - maxDiscussed), low).filter(({ endsAt }) => endsAt > at)
  }

  liveGames(at: Millis): ReadonlyArray<EventPlan> {
    return this.of("sports", at).filter(({ game }) => game !== undefined && isLive(game, at))
  }

  #catchUp(): void {
    const { events } = this.#sim.model.world.venue
    for (; this.#listed < events.length; this.#listed++) {
      const plan = events[this.#listed]?.plan
      if (plan === undefined || plan.markets[0]?.rule.kind === "updown") continue
      // Further events of a game are the same subject.
      if (plan.game !== undefined && this.#games.has(plan.game.id)) continue
      if (plan.game !== undefined) this.#games.add(plan.game.id)
      this.#plans[beatOf(plan)].push(plan)
    }
  }
}
