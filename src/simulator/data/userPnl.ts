import { addTo, noSums } from "./Earnings.ts"
import type { Params } from "./Params.ts"
import type { Answer } from "./page.ts"
import { newestPoint, pnlPoint } from "./pnlPoint.ts"
import { requiredWallet } from "./selection.ts"
import type { Sources } from "./sources.ts"

const hour = 3_600
const day = 24 * hour

const intervals = {
  max: Number.POSITIVE_INFINITY,
  all: Number.POSITIVE_INFINITY,
  "1m": 30 * day,
  "1w": 7 * day,
  "1d": day,
  "12h": 12 * hour,
  "6h": 6 * hour,
}
const intervalNames = Object.keys(intervals) as ReadonlyArray<keyof typeof intervals>

/** Whole hours, as earnings are kept. */
const fidelities = { "1d": day, "18h": 18 * hour, "12h": 12 * hour, "3h": 3 * hour, "1h": hour }
const fidelityNames = Object.keys(fidelities) as ReadonlyArray<keyof typeof fidelities>

/** How a wallet came to what it has, at whole steps and now. */
export const userPnl = (sources: Sources, params: Params): Answer => {
  const { ledger, earnings } = sources
  const interval = intervals[params.choice("interval", intervalNames) ?? "1d"]
  const step = fidelities[params.choice("fidelity", fidelityNames) ?? "1h"]
  const wallet = requiredWallet(ledger, params)
  if (wallet < 0) return { data: [] }
  const hours = earnings.ofWallet(wallet).hours()
  const now = ledger.seconds
  const from = Math.max(now - interval, hours[0]?.[0] ?? now)
  const { clock } = sources.ledger.sim.made.world
  const sums = { ...noSums }
  const points: Array<object> = []
  let place = 0
  for (let at = Math.ceil(from / step) * step; at < now; at += step) {
    for (let next = hours[place]; next !== undefined && next[0] <= at; next = hours[++place]) addTo(sums, next[1])
    points.push(pnlPoint(sums, at, clock.blockAt(at * 1000), null))
  }
  return { data: [...points, newestPoint(sources, wallet)] }
}
