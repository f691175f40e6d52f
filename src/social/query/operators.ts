import { dayMillis, dayText } from "#src/domain/time.ts"
import { type Count, type CountBound, QueryError } from "./model.ts"

/** An operator that becomes a part of the query for X. */
interface Passed {
  readonly kind: "passed"
  readonly text: string
}

/** An operator that applies to the whole query. */
interface Constraint {
  readonly kind: "constraint"
  readonly since?: number
  readonly until?: number
  readonly bound?: CountBound
}

export type Operator = Passed | Constraint

const passed = (text: string): Passed => ({ kind: "passed", text })

const filters: Readonly<Record<string, string>> = {
  links: "has:links",
  media: "has:media",
  images: "has:images",
  videos: "has:videos",
  mentions: "has:mentions",
  hashtags: "has:hashtags",
  replies: "is:reply",
  retweets: "is:retweet",
  nativeretweets: "is:retweet",
  quote: "is:quote",
  verified: "is:verified",
  blue_verified: "is:verified",
}

const choices: Readonly<Record<string, ReadonlyArray<string>>> = {
  has: ["links", "media", "images", "videos", "mentions", "hashtags"],
  is: ["retweet", "reply", "quote", "verified"],
}

const counts: Readonly<Record<string, Count>> = {
  min_faves: "likes",
  min_retweets: "retweets",
  min_replies: "replies",
}

/** Midnight UTC of a day as YYYY-MM-DD, or a time as 2026-11-10_12:00:00_UTC. */
const timeOf = (value: string): number | undefined => {
  const [, day, time = "00:00:00"] = /^(\d{4}-\d\d-\d\d)(?:_(\d\d:\d\d:\d\d)_UTC)?$/.exec(value) ?? []
  const millis = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`)
  return Number.isNaN(millis) || dayText(millis) !== day ? undefined : millis
}

const unixOf = (value: string): number | undefined => (/^\d{9,10}$/.test(value) ? Number(value) * 1000 : undefined)

const quoted = (value: string) => `"${value.replaceAll('"', "")}"`

const wrong = (name: string, value: string, expected: string, hint?: string) =>
  new QueryError(`${name}: expected ${expected}, got ${JSON.stringify(value.slice(0, 60))}`, hint)

const oneOf = (name: string, value: string, allowed: ReadonlyArray<string>) =>
  wrong(name, value, `one of ${allowed.join(", ")}`)

const account = (name: string, value: string): Operator | QueryError => {
  const handle = value.replace(/^@/, "")
  return /^\w{1,15}$/.test(handle)
    ? passed(`${name}:${handle}`)
    : wrong(name, value, "a handle of 1 to 15 letters, digits and _")
}

const time = (name: string, value: string, isNegated: boolean): Operator | QueryError => {
  if (isNegated) return new QueryError(`-${name}: is not possible`, "Use since: and until: without a minus.")
  const isUnix = name.endsWith("_time")
  const at = isUnix ? unixOf(value) : timeOf(value)
  if (at === undefined || at > Date.UTC(2100, 0) || at < dayMillis) {
    return wrong(name, value, isUnix ? "Unix seconds" : "a day in UTC as YYYY-MM-DD")
  }
  return name.startsWith("since") ? { kind: "constraint", since: at } : { kind: "constraint", until: at }
}

const count = (name: string, value: string, isNegated: boolean): Operator | QueryError => {
  const counted = counts[name]
  if (counted === undefined || !/^\d{1,9}$/.test(value)) return wrong(name, value, "a whole number")
  return { kind: "constraint", bound: { count: counted, value: Number(value), isBelow: isNegated } }
}

/** Operators that a query may have. */
const knownOperators =
  "from: to: since: until: since_time: until_time: min_faves: min_retweets: min_replies: filter: has: is: lang: url: conversation_id: retweets_of:".split(
    " ",
  )

export const operatorOf = (name: string, value: string, isNegated: boolean): Operator | QueryError => {
  switch (name) {
    case "from":
    case "to":
    case "retweets_of":
      return account(name, value)
    case "since":
    case "until":
    case "since_time":
    case "until_time":
      return time(name, value, isNegated)
    case "min_faves":
    case "min_retweets":
    case "min_replies":
      return count(name, value, isNegated)
    case "url":
      return /[\p{L}\p{N}]/u.test(value) ? passed(`url:${quoted(value)}`) : wrong(name, value, "a part of an address")
    case "lang":
      return /^[a-z]{2,3}$/i.test(value)
        ? passed(`lang:${value.toLowerCase()}`)
        : wrong(name, value, "a language such as en")
    case "conversation_id":
      return /^\d{1,19}$/.test(value) ? passed(`${name}:${value}`) : wrong(name, value, "the id of a post")
    case "filter": {
      const filter = value.toLowerCase()
      return Object.hasOwn(filters, filter)
        ? passed(filters[filter] as string)
        : oneOf(name, value, Object.keys(filters))
    }
    case "has":
    case "is": {
      const allowed = choices[name] ?? []
      return allowed.includes(value.toLowerCase())
        ? passed(`${name}:${value.toLowerCase()}`)
        : oneOf(name, value, allowed)
    }
    default:
      return new QueryError(
        `unknown operator ${JSON.stringify(`${name.slice(0, 40)}:`)}`,
        `Known operators: ${knownOperators.join(" ")}. Quote text that contains a colon.`,
      )
  }
}
