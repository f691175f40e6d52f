import assert from "node:assert/strict"
import { Effect } from "effect"
import { pause } from "#src/platform/embedded/waiting.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ofAllWorkers } from "../support/inFlight.ts"
import type { Row } from "../support/Row.ts"
import type { Services } from "../support/service.ts"
import type { ShiftedService } from "../support/shiftedService.ts"

const lastsMillis = 15_000
const minutes = 300
const day = 86_400

const jump = (of: string, name: string, seconds: number, check: Effect.Effect<void, unknown, Services>) =>
  ({
    name: `the clock of ${of} is ${name} for 15 s`,
    within: 30,
    mayRepeat: ofAllWorkers,
    fault: ({ shift }) =>
      Effect.gen(function* () {
        yield* shift(seconds)
        yield* pause(lastsMillis)
        yield* check
        yield* shift(0)
      }),
  }) satisfies Row<ShiftedService>

const jumps = (of: string, check: (seconds: number) => Effect.Effect<void, unknown, Services>) => [
  jump(of, "five minutes ahead", minutes, check(minutes)),
  jump(of, "five minutes behind", -minutes, check(-minutes)),
  jump(of, "a day ahead", day, check(day)),
  jump(of, "a day behind", -day, check(-day)),
]

/** The clock jumps, and jumps back; stores and venue have the right time. */
export const clocks: ReadonlyArray<Row<ShiftedService>> = jumps("every process", () => Effect.void)

/** Whether Postgres sees the time that it was shown. */
const isShifted = Effect.fnUntraced(function* (seconds: number) {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ now: number }>`select extract(epoch from clock_timestamp())::float8 as now`
  const ahead = Math.round((row?.now ?? 0) - Date.now() / 1_000)
  assert.ok(Math.abs(ahead - seconds) < 30, `its clock was ${ahead} s ahead`)
})

/** The clock of Postgres jumps, and jumps back; all others have the right time. */
export const clocksOfPostgres: ReadonlyArray<Row<ShiftedService>> = jumps("Postgres", isShifted)
