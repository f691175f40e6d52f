import { Cause, Context, Logger, type LogLevel, References } from "effect"
import { redact } from "../text/redact.ts"

export type Log = Logger.Logger<unknown, void>

/**
 * Whether a line of this level would be written now. The level can change at run time, so Effect's own minimum stays low
 * and hot paths check here before they build a line.
 */
export const LogsAt = Context.Reference<(level: LogLevel.LogLevel) => boolean>("presage/platform/LogsAt", {
  defaultValue: () => () => true,
})

const ranks: Record<string, number> = { Trace: 0, Debug: 1, Info: 2, Warn: 3, Error: 4, Fatal: 5 }
const thresholds = { debug: 1, info: 2, warn: 3, error: 4, none: 9 } as const
export type Threshold = keyof typeof thresholds

export const reaches = (level: LogLevel.LogLevel, threshold: Threshold) => (ranks[level] ?? 0) >= thresholds[threshold]

/** Info lines of @effect/cluster do not help an operator. */
const levelOf = ({ logLevel, fiber }: Logger.Options<unknown>): LogLevel.LogLevel =>
  logLevel === "Info" && fiber.getRef(References.CurrentLogAnnotations).package === "@effect/cluster"
    ? "Debug"
    : logLevel

/** Drops lines below the current threshold. */
export const withThreshold = (logger: Log, threshold: () => Threshold): Log =>
  Logger.make((entry) => {
    if (reaches(levelOf(entry), threshold())) logger.log(entry)
  })

const colours: Record<string, string> = { Debug: "90", Info: "36", Warn: "33", Error: "31", Fatal: "31;1" }
const paint = (code: string, text: string) => (process.stderr.hasColors?.() ? `\u001b[${code}m${text}\u001b[0m` : text)

const toText = (part: unknown) =>
  typeof part === "string" ? part : part instanceof Error ? part.message : JSON.stringify(part)

/** One readable line: time, level, message, annotations; a cause follows on its own lines. */
const prettyLine = Logger.make<unknown, string>(({ date, logLevel, message, cause, fiber }) => {
  const time = paint("90", date.toISOString().slice(11, 23))
  const level = paint(colours[logLevel] ?? "0", logLevel.toUpperCase().padEnd(5))
  const text = (Array.isArray(message) ? message : [message]).map(toText).join(" ")
  const annotations = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
  const tail = annotations.map(([key, value]) => paint("90", ` ${key}=${toText(value)}`)).join("")
  const why = cause.reasons.length === 0 ? "" : `\n${Cause.pretty(cause)}`
  return `${time} ${level} ${text}${tail}${why}`
})

/** Logs go to stderr, because stdout is for the output of commands. */
export const toStderr = (format: "pretty" | "json"): Log => {
  const line = format === "pretty" ? prettyLine : Logger.formatJson
  return Logger.make((entry) => void process.stderr.write(`${redact(line.log(entry))}\n`))
}
