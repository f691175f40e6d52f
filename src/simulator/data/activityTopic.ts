import type { RtdsSource } from "../oracle/rtdsFrames.ts"
import type { Simulation } from "../Simulation.ts"
import { firstBlock } from "../world/blockClock.ts"
import { TxKind } from "../world/Facts.ts"
import { takerFill } from "./fills.ts"
import { Ledger } from "./Ledger.ts"
import { tradeRow } from "./rows.ts"

const topic = "activity"
const types = ["trades", "orders_matched"]

/** Taker trades, published when their block appears; once, even if the block is replaced. */
export const activityTopic = (sim: Simulation): RtdsSource => {
  const ledger = new Ledger(sim)
  const { facts } = ledger
  let nextTx = ledger.end
  return {
    topics: [topic],
    snapshots: () => [],
    start: (publish) => {
      sim.on("block", (block) => {
        const end = facts.block.lowerBound(block - firstBlock + 1)
        for (; nextTx < end; nextTx++) {
          if (facts.kind.get(nextTx) !== TxKind.match) continue
          const tx = nextTx
          const { plan, event } = ledger.market(facts.market.get(tx))
          const attributes = { event_slug: event.plan.slug, market_slug: plan.slug }
          for (const type of types) publish(topic, type, attributes, () => tradeRow(ledger, takerFill(facts, tx), tx))
        }
      })
    },
  }
}
