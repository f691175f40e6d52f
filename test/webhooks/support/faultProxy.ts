import { Effect } from "effect"
import { start } from "#test/support/processes/Process.ts"
import { ask } from "./ask.ts"

/**
 * `delay` delays every chunk by this many milliseconds, `trickle` sends a byte per this many, `black-hole` accepts
 * everything and answers nothing, `lose-answers` passes requests only, `cut` resets every connection, old and new. A
 * connection that has lost something stays silent, also when the network is well again, as behind a firewall that has
 * forgotten it.
 */
export type Manner = "pass" | "delay" | "trickle" | "black-hole" | "lose-answers" | "cut"

/**
 * A proxy to a local port, in a process of its own, that can degrade. Frozen, it accepts connections and stays silent.
 */
export const faultProxy = Effect.fnUntraced(function* (target: number) {
  const process = yield* start({
    name: "fault proxy",
    file: "test/webhooks/support/faultProxyProcess.ts",
    env: { PROXY_TARGET: String(target) },
  })
  const line = yield* process.waitForLine(/^listening /, 30_000)
  return {
    port: Number(line.split(" ")[1]),
    process,
    become: (manner: Manner, argument = 0) => Effect.asVoid(ask(process, manner, argument)),
  }
})
