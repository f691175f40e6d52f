import { firstBlock } from "../../world/blockClock.ts"
import type { Micro, Millis } from "../../world/model.ts"
import { Threads } from "../../world/Threads.ts"
import type { World } from "../../world/World.ts"

export interface RealizedEvent {
  readonly block: number
  readonly at: Millis
  readonly amount: Micro
}

/** The gains and losses of each position, found without going through everybody's. */
export class Realized {
  readonly #world: World
  readonly #byPosition = new Threads()
  #done = 0

  constructor(world: World) {
    this.#world = world
  }

  /** In order of time; the date is that of the block, which a reorganisation may move. */
  of(position: number): ReadonlyArray<RealizedEvent> {
    const { facts, clock, venue } = this.#world
    const { eventPosition, eventAct, eventAmount } = venue.books
    for (; this.#done < eventPosition.length; this.#done++) this.#byPosition.add(eventPosition.get(this.#done))
    const events: Array<RealizedEvent> = []
    for (const event of this.#byPosition.of(position)) {
      const block = facts.block.get(eventAct.get(event)) + firstBlock
      events.push({ block, at: clock.timestampOf(block) * 1000, amount: eventAmount.get(event) })
    }
    return events.reverse()
  }
}
