import type { Simulation } from "../../Simulation.ts"
import { Act, exchange } from "../../world/Facts.ts"
import { bad, type Routes } from "../request.ts"
import { type BlockRange, blockRange } from "./blockRange.ts"

/** Logs are made to be counted, which takes a while. */
const mostForLogs = 100_000

const countKinds = (sim: Simulation, { first, end }: BlockRange) => {
  const { kind } = sim.made.world.facts
  const counts = new Map<number, number>(Object.values(Act).map((each) => [each, 0]))
  for (let act = first; act < end; act++) counts.set(kind.get(act), (counts.get(kind.get(act)) ?? 0) + 1)
  return Object.fromEntries(Object.entries(Act).map(([name, number]) => [name, counts.get(number)]))
}

const countFills = (sim: Simulation, { first, end }: BlockRange) => {
  const { facts } = sim.made.world
  const firstFill = first < facts.length ? facts.firstFill.get(first) : facts.fills
  const endFill = end < facts.length ? facts.firstFill.get(end) : facts.fills
  const seen = new Uint8Array(sim.made.wallets.length)
  let volume = 0
  for (let fill = firstFill; fill < endFill; fill++) {
    seen[facts.maker.get(fill)] = 1
    if (facts.taker.get(fill) === exchange) volume += facts.usd.get(fill)
  }
  const traders = seen.reduce((sum, each) => sum + each, 0)
  for (let act = first; act < end; act++) {
    const wallet = facts.wallet.get(act)
    if (wallet >= 0) seen[wallet] = 1
    if (facts.kind.get(act) === Act.transfer) seen[facts.extra.get(act)] = 1
  }
  return { fills: endFill - firstFill, volume, traders, wallets: seen.reduce((sum, each) => sum + each, 0) }
}

const countLogs = (sim: Simulation, { first, end }: BlockRange) => {
  if (end - first > mostForLogs) throw bad(`logs: can be counted in at most ${mostForLogs} transactions at once`)
  let logs = 0
  for (let act = first; act < end; act++) logs += sim.logs.logsOf(act).length
  return logs
}

/** How much of everything there is in a range of shown blocks. */
export const countRoutes = (sim: Simulation): Routes => ({
  "GET /truth/counts": ({ query }) => {
    const range = blockRange(sim, query)
    return {
      from_block: range.fromBlock,
      to_block: range.toBlock,
      transactions: range.end - range.first,
      by_kind: countKinds(sim, range),
      ...countFills(sim, range),
      ...(query.flag("logs") === true ? { logs: countLogs(sim, range) } : {}),
    }
  },
})
