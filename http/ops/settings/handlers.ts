import { Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Audit } from "#src/operators/Audit.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { redact } from "#src/platform/text/redact.ts"
import { idOf } from "#src/processes/model.ts"
import { runningProcesses } from "#src/tuning/runningSettings.ts"
import { Tuning, TuningRefused } from "#src/tuning/Tuning.ts"
import type { Change } from "#src/tuning/TuningStore.ts"
import { BadInput, unavailable } from "../../server/errors.ts"
import { OperatorApi } from "../Api.ts"
import { CurrentOperator } from "../OperatorAccess.ts"
import { iso } from "../shapes.ts"

/** Addresses may contain a password. */
const redacted = (value: string | undefined) => (value === undefined ? null : redact(value))

const shown = ({ name, from, to, by, at }: Change) => ({
  name,
  from: redacted(from),
  to: redacted(to),
  by,
  at: iso(at),
})

const refused = (error: unknown) =>
  error instanceof TuningRefused
    ? Effect.fail(new BadInput({ error: `Not changed: ${error.reason}.`, field: "value" }))
    : unavailable("ops")(error)

export const SettingsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "settings",
  Effect.fnUntraced(function* (handlers) {
    const config = yield* Configuration
    const redis = yield* Redis
    const tuning = yield* Tuning
    const audit = yield* Audit
    const running = Effect.provideService(runningProcesses, Redis, redis)
    return handlers.handleAll({
      list: Effect.fnUntraced(function* () {
        const processes = yield* Effect.catch(running, unavailable("ops"))
        const differing = (name: string, value: string) =>
          processes.flatMap((each) => {
            const other = each.settings[name]?.value
            return other === undefined || other === value ? [] : [{ process: idOf(each), value: redact(other) }]
          })
        return {
          settings: config
            .rows()
            .map((row) => ({ ...row, value: redact(row.value), differs: differing(row.name, row.value) })),
        }
      }),
      tune: Effect.fnUntraced(function* ({ params, payload }) {
        const operator = yield* CurrentOperator
        return shown(yield* Effect.catch(tuning.set(params.name, payload.value, operator.name), refused))
      }),
      reset: Effect.fnUntraced(function* ({ params }) {
        const operator = yield* CurrentOperator
        return shown(yield* Effect.catch(tuning.reset(params.name, operator.name), refused))
      }),
      audit: ({ query: { limit = 100 } }) =>
        Effect.map(Effect.catch(audit.newest(limit), unavailable("ops")), (lines) => ({
          lines: lines.map((line) => ({ ...line, detail: redact(line.detail), at: iso(line.at) })),
        })),
    })
  }),
)
