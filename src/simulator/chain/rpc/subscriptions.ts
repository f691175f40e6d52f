import type { Simulation } from "../../Simulation.ts"
import { headerOf } from "./blocks.ts"
import { wantedAt } from "./filters.ts"
import { flagAt } from "./params.ts"
import { errorCode, RpcError } from "./RpcError.ts"
import { transactionOf } from "./transactions.ts"

/** Tells a subscriber something, as JSON text. */
type Tell = (result: string) => void
type Stop = () => void

const logs = (sim: Simulation, filter: unknown, tell: Tell): Stop => {
  const wanted = wantedAt(filter ?? {}, 1)
  const tellAll = (fromBlock: number, toBlock: number, removed: boolean) => {
    for (const log of sim.chain.logTexts({ fromBlock, toBlock, ...wanted }, removed)) tell(log)
  }
  const stops = [
    sim.on("reorg", (from, to) => tellAll(from, to, true)),
    sim.on("block", (block) => tellAll(block, block, false)),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

const pending = (sim: Simulation, full: boolean, tell: Tell): Stop =>
  sim.on("pending", (act) => tell(JSON.stringify(full ? transactionOf(sim, act) : sim.chain.transactionHash(act))))

/** Begins what `eth_subscribe` asks for. */
export const subscribe = (sim: Simulation, params: ReadonlyArray<unknown>, tell: Tell): Stop => {
  const [kind, option] = params
  switch (kind) {
    case "newHeads":
      return sim.on("block", (block) => tell(JSON.stringify(headerOf(sim, block))))
    case "logs":
      return logs(sim, option, tell)
    case "newPendingTransactions":
      return pending(sim, flagAt(option ?? false, 1, "full transactions"), tell)
    default:
      throw new RpcError(errorCode.unknownMethod, `no ${JSON.stringify(kind) ?? "such"} subscription in eth namespace`)
  }
}
