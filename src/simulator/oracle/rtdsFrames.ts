/** What a client may choose by: a symbol of a price, a slug of a trade. */
export type About = Readonly<Record<string, string>>

/** Which messages of a topic are wanted. */
export interface Filter {
  /** The same for filters that mean the same. */
  readonly key: string
  readonly matches: (about: About) => boolean
}

export interface Subscription {
  readonly topic: string
  readonly type: string
  /** Undefined for everything. */
  readonly filter: Filter | undefined
}

export interface Frame {
  readonly action: "subscribe" | "unsubscribe"
  readonly subscriptions: ReadonlyArray<Subscription>
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Clients write symbols in any case. */
const same = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase()

const ownValue = (about: About, name: string) => (Object.hasOwn(about, name) ? about[name] : undefined)

const byFields = (fields: ReadonlyArray<readonly [string, string]>): Filter => ({
  key: JSON.stringify(fields.map(([name, value]) => [name, value.toLowerCase()])),
  matches: (about) => fields.every(([name, value]) => same(ownValue(about, name), value)),
})

const byList = (values: ReadonlyArray<string>): Filter => ({
  key: JSON.stringify(values.map((value) => value.toLowerCase())),
  matches: (about) => Object.values(about).some((own) => values.some((value) => same(own, value))),
})

const matchesAll = "all"

/** Clients write filters as an object or a list, in JSON or as JSON within a string, or with commas only. */
const filterOf = (written: unknown): Filter | undefined | typeof matchesAll => {
  if (written === undefined || written === null) return matchesAll
  if (typeof written === "string") {
    const text = written.trim()
    if (text === "") return matchesAll
    if (text.startsWith("{") || text.startsWith("[")) return filterOf(parsed(text) ?? 0)
    return byList(text.split(",").map((value) => value.trim()))
  }
  if (Array.isArray(written)) {
    if (!written.every((value) => typeof value === "string")) return undefined
    return written.length === 0 ? matchesAll : byList(written)
  }
  if (!isRecord(written)) return undefined
  if (!Object.values(written).every((value) => typeof value === "string" || typeof value === "number")) return undefined
  const fields = Object.entries(written).map(([name, value]) => [name, String(value)] as const)
  return fields.length === 0 ? matchesAll : byFields(fields)
}

const subscriptionOf = (written: unknown): ReadonlyArray<Subscription> => {
  if (!isRecord(written) || typeof written["topic"] !== "string") return []
  const type = written["type"] ?? "*"
  const filter = filterOf(written["filters"])
  if (typeof type !== "string" || filter === undefined) return []
  return [{ topic: written["topic"], type, filter: filter === matchesAll ? undefined : filter }]
}

/** What a client asks for; nothing that is malformed, which the real service passes over in silence as well. */
export const frameOf = (text: string): Frame | undefined => {
  const frame = parsed(text)
  if (!isRecord(frame) || !Array.isArray(frame["subscriptions"])) return undefined
  const { action } = frame
  if (action !== "subscribe" && action !== "unsubscribe") return undefined
  return { action, subscriptions: frame["subscriptions"].flatMap(subscriptionOf) }
}
