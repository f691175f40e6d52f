import { Effect } from "effect"
import type { Process } from "#test/support/processes/Process.ts"

let asked = 0

/** Sends a command to a process of the test and waits until it is done. */
export const ask = (process: Process, ...words: ReadonlyArray<string | number>) =>
  Effect.suspend(() => {
    asked += 1
    process.say([asked, ...words].join(" "))
    return process.waitForLine(new RegExp(`^done ${asked}$`), 10_000)
  })
