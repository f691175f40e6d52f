import { Effect } from "effect"
import { pause } from "#src/platform/embedded/waiting.ts"
import { ofAllWorkers } from "../support/inFlight.ts"
import type { Row } from "../support/Row.ts"
import type { ShiftedService } from "../support/shiftedService.ts"

const lastsMillis = 15_000

const jump = (name: string, seconds: number): Row<ShiftedService> => ({
  name: `the clock of every process is ${name} for 15 s`,
  within: 30,
  mayRepeat: ofAllWorkers,
  fault: ({ shift }) => Effect.all([shift(seconds), pause(lastsMillis), shift(0)], { discard: true }),
})

/** The clock jumps, and jumps back; stores and venue have the right time. */
export const clocks: ReadonlyArray<Row<ShiftedService>> = [
  jump("five minutes ahead", 300),
  jump("five minutes behind", -300),
  jump("a day ahead", 86_400),
  jump("a day behind", -86_400),
]
