import { hostname } from "node:os"
import { Clock, Effect, Option, Schema } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Configuration, type SettingRow, sources } from "#src/platform/config/Configuration.ts"
import { Redis } from "#src/platform/redis/Redis.ts"

/** A process publishes its settings every second; without that for so long, it does not run. */
const staleMillis = 10_000

const RunningProcess = Schema.Struct({
  host: Schema.String,
  pid: Schema.Int,
  /** Time of the publication. */
  at: Schema.Finite,
  /** As `presage config` shows them: without secrets. */
  settings: Schema.Record(Schema.String, Schema.Struct({ value: Schema.String, source: Schema.Literals(sources) })),
})
type RunningProcess = typeof RunningProcess.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(RunningProcess))

/** Publishes the settings of this process, so that `presage config` can show them; removed when the scope closes. */
export const makePublishSettings = Effect.gen(function* () {
  const config = yield* Configuration
  const redis = yield* Redis
  const { settings: key } = keys(redis.prefix)
  const [host, pid] = [hostname(), process.pid]
  const field = `${host}:${pid}`
  yield* Effect.addFinalizer(() => Effect.ignore(redis.run((client) => client.hdel(key, field))))
  return Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const settings = Object.fromEntries(config.rows().map(({ name, value, source }) => [name, { value, source }]))
    const text = JSON.stringify({ host, pid, at, settings } satisfies RunningProcess)
    yield* redis.run((client) => client.hset(key, field, text))
  })
})

/** The running processes of the instance. Forgets those that ended without saying so. */
export const runningProcesses = Effect.gen(function* () {
  const redis = yield* Redis
  const { settings: key } = keys(redis.prefix)
  const now = yield* Clock.currentTimeMillis
  const stored = Object.entries(yield* redis.run((client) => client.hgetall(key)))
  const decoded = stored.map(([field, text]) => ({ field, running: Option.getOrUndefined(decode(text)) }))
  const isStale = (running: RunningProcess | undefined) => running === undefined || now - running.at > staleMillis
  const ended = decoded.filter(({ running }) => isStale(running)).map(({ field }) => field)
  if (ended.length > 0) yield* redis.run((client) => client.hdel(key, ...ended))
  return decoded
    .flatMap(({ running }) => (running === undefined || isStale(running) ? [] : [running]))
    .toSorted((a, b) => a.host.localeCompare(b.host) || a.pid - b.pid)
})

/** The rows with the values of a process; settings that it does not know keep their own. */
export const rowsOf = (rows: ReadonlyArray<SettingRow>, { settings }: RunningProcess): ReadonlyArray<SettingRow> =>
  rows.map((row) => ({ ...row, ...settings[row.name] }))

const nameOf = ({ host, pid }: RunningProcess) => `process ${pid} on ${host}`

/** Says whose settings are shown, and how those of other processes differ. */
export const describeProcesses = ([first, ...others]: ReadonlyArray<RunningProcess>): ReadonlyArray<string> => {
  if (first === undefined) return ["no instance runs: these are the settings that a start would use"]
  const differences = others.map((other) => {
    const different = Object.entries(other.settings).filter(
      ([name, { value }]) => first.settings[name]?.value !== value,
    )
    const list = different.map(([name, { value }]) => `${name} ${value || "(unset)"}`).join(", ")
    return `${nameOf(other)} ${list === "" ? "has the same" : `differs in: ${list}`}`
  })
  return [`settings of the running instance, ${nameOf(first)}`, ...differences]
}
