import type { Simulation } from "../Simulation.ts"
import { ActivityFeed } from "./ActivityFeed.ts"
import { Boards } from "./Boards.ts"
import { BuilderDays } from "./BuilderDays.ts"
import { Earnings } from "./Earnings.ts"
import { Histories } from "./History.ts"
import { Holdings } from "./Holdings.ts"
import { Ledger } from "./Ledger.ts"

/** State shared by the routes. */
export interface Sources {
  readonly ledger: Ledger
  readonly feed: ActivityFeed
  readonly holdings: Holdings
  readonly histories: Histories
  readonly earnings: Earnings
  readonly boards: Boards
  readonly builderDays: BuilderDays
}

export const sourcesOf = (sim: Simulation): Sources => {
  const ledger = new Ledger(sim)
  return {
    ledger,
    feed: new ActivityFeed(ledger),
    holdings: new Holdings(ledger),
    histories: new Histories(ledger),
    earnings: new Earnings(ledger),
    boards: new Boards(ledger),
    builderDays: new BuilderDays(ledger),
  }
}
