import type { RtdsSource } from "../oracle/rtds.ts"
import type { Simulation } from "../Simulation.ts"
import { firstBlock } from "../world/blockClock.ts"
import { Act } from "../world/Facts.ts"
import { takersFill } from "./fills.ts"
import { Ledger } from "./Ledger.ts"
import { tradeRow } from "./rows.ts"

const topic = "activity"
const types = ["trades", "orders_matched"]

/** The takers' trades, told when their block is made; once, even if the block is replaced. */
export const activityTopic = (sim: Simulation): RtdsSource => {
  const ledger = new Ledger(sim)
  const { facts } = ledger
  let told = ledger.end
  return {
    snapshots: () => [],
    start: (publish) => {
      sim.on("block", (block) => {
        const end = facts.block.lowerBound(block - firstBlock + 1)
        for (; told < end; told++) {
          if (facts.kind.get(told) !== Act.match) continue
          const act = told
          const { plan, event } = ledger.market(facts.market.get(act))
          const about = { event_slug: event.plan.slug, market_slug: plan.slug }
          for (const type of types) publish(topic, type, about, () => tradeRow(ledger, takersFill(facts, act), act))
        }
      })
    },
  }
}
