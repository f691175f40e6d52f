import { Effect } from "effect"
import { start } from "#test/support/processes/Process.ts"
import { ask } from "./ask.ts"

/**
 * `delay` holds every piece back for so many milliseconds, `trickle` gives a byte in so many, `black-hole` takes
 * everything and gives nothing, `lose-answers` lets requests through only, `cut` resets every connection, old and new.
 */
export type Manner = "pass" | "delay" | "trickle" | "black-hole" | "lose-answers" | "cut"

/** A way to a port of this machine, in a process of its own, that can become bad. Frozen it accepts and is silent. */
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
