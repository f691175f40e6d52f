import { hash, seedOf } from "../random.ts"
import type { Millis } from "../world/model.ts"
import type { Engine } from "./engines.ts"

const minute = 60_000
const outageMillis = 5 * minute
const oneOutageIn = 18

/** After these an engine is left alone for a while. */
const suspending = ["CAPTCHA", "too many requests", "access denied"]
const passing = ["timeout", "HTTP error", "HTTP connection error", "parsing error"]
const ills = [...suspending, ...passing]

/** What an engine suffers from by itself at a moment: now and then something, for some minutes. */
const outage = ({ name }: Engine, now: Millis): string | undefined => {
  const seed = seedOf(0, `outages of ${name}`)
  const span = Math.floor(now / outageMillis)
  if (hash(seed, span) % oneOutageIn !== 0) return undefined
  const ill = ills[hash(seed, span, 1) % ills.length] as string
  const isFirstMinute = now - span * outageMillis < minute
  return suspending.includes(ill) && !isFirstMinute ? `Suspended: ${ill}` : ill
}

const latencyOf = ({ name }: Engine, now: Millis): Millis =>
  150 + (hash(seedOf(0, `latency of ${name}`), Math.floor(now / minute)) % 900)

/** Why an engine gives no results; undefined when it does. */
export const illnessOf = (
  engine: Engine,
  now: Millis,
  timeout: Millis | undefined,
  forced: ReadonlyMap<string, string>,
): string | undefined => {
  const ill = forced.get(engine.name) ?? outage(engine, now)
  if (ill !== undefined) return ill
  return timeout !== undefined && timeout < latencyOf(engine, now) ? "timeout" : undefined
}
