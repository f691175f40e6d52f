import type { Simulation } from "../../Simulation.ts"
import { jsonText, type Service } from "../../wire.ts"
import { callMethod } from "./methods.ts"
import { answer } from "./protocol.ts"

/** A Polygon node over HTTP. */
export const rpcService =
  (sim: Simulation): Service =>
  ({ method, body }) => {
    if (method !== "POST") return { status: 405, headers: { allow: "POST" }, body: "" }
    return jsonText(answer(body, (name, params) => callMethod(sim, name, params)))
  }
