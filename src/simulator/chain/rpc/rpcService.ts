import type { Pieces } from "../../pieces.ts"
import type { Simulation } from "../../Simulation.ts"
import { jsonText, type Service } from "../../wire.ts"
import { callsOn } from "./methods.ts"
import { answer } from "./protocol.ts"
import { lagging } from "./Sight.ts"

/** A Polygon node over HTTP. */
export const rpcService =
  (sim: Simulation): Service<Pieces> =>
  ({ method, body }, blocksBehind = 0) => {
    if (method !== "POST") return { status: 405, headers: { allow: "POST" }, body: [] }
    const sight = blocksBehind === 0 ? sim : lagging(sim, blocksBehind)
    return jsonText(answer(body, callsOn(sight)))
  }
