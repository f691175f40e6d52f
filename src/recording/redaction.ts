import { Option, Redacted } from "effect"
import type { Configuration } from "#src/platform/config/Configuration.ts"
import type { AnySetting, Setting } from "#src/platform/config/Setting.ts"
import { splitUrls } from "#src/platform/config/Setting.ts"
import { redact } from "#src/platform/text/redact.ts"
import { datastreamsId } from "#src/upstream/settings.ts"

const hidden = "<redacted>"

/** Shorter secrets are only replaced as whole words: they are part of many numbers. */
const longEnough = 12

/** Names of hosts are not secret; keys are in the path, the query or the password. */
const partsOfUrl = (text: string): ReadonlyArray<string> =>
  splitUrls(text).flatMap((one) => {
    if (!URL.canParse(one)) return []
    const { username, password, pathname, searchParams } = new URL(one)
    const segments = pathname.split("/").filter((segment) => segment.length >= 8)
    return [username, password, ...segments, ...searchParams.values()].filter((part) => part.length >= 4)
  })

const isSecretText = (value: unknown): value is Option.Option<Redacted.Redacted<string>> =>
  Option.isOption(value) && Option.isSome(value) && Redacted.isRedacted(value.value)

/** The values of all secret settings, and the parts of those that are URLs. */
export const secretsOf = (
  config: Configuration["Service"],
  declared: ReadonlyArray<AnySetting>,
): ReadonlySet<string> => {
  const texts = declared.flatMap((setting) => {
    const value = config.get(setting as Setting<unknown>)
    return setting.secret && isSecretText(value) ? [Option.getOrThrow(value)] : []
  })
  const secret = texts.map((text) => Redacted.value(text))
  const whole = [...secret, config.get(datastreamsId)].filter((text) => text !== "")
  return new Set(whole.flatMap((text) => (text.includes("://") ? [text, ...partsOfUrl(text)] : [text])))
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** Removes these secrets, and what looks like one, from a line of JSON. */
export const redactor = (secrets: ReadonlySet<string>): ((line: string) => string) => {
  const spellings = [...secrets].flatMap((text) => [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)])
  // Longest first: one secret may be part of another.
  const distinct = [...new Set(spellings)].toSorted((a, b) => b.length - a.length)
  if (distinct.length === 0) return redact
  const patterns = distinct.map((text) =>
    text.length >= longEnough ? escaped(text) : `(?<![A-Za-z0-9])${escaped(text)}(?![A-Za-z0-9])`,
  )
  const any = new RegExp(patterns.join("|"), "g")
  return (line) => redact(line.replace(any, hidden))
}
