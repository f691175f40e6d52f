/** The fields a filter can match: the symbol of a price, the slugs of a trade. */
export type MessageAttributes = Readonly<Record<string, string>>

export interface MessageFilter {
  /** Equal for equivalent filters. */
  readonly key: string
  readonly matches: (attributes: MessageAttributes) => boolean
  /** Written with white space: the service then sends a snapshot and no updates. */
  readonly isSpaced?: boolean
}

export interface RtdsSubscription {
  readonly topic: string
  readonly type: string
  /** Undefined matches everything. */
  readonly filter: MessageFilter | undefined
}

interface RtdsFrame {
  readonly action: "subscribe" | "unsubscribe"
  readonly subscriptions: ReadonlyArray<RtdsSubscription>
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Symbols are case-insensitive. */
const equalsIgnoreCase = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase()

const ownValue = (attributes: MessageAttributes, name: string) =>
  Object.hasOwn(attributes, name) ? attributes[name] : undefined

const byFields = (fields: ReadonlyArray<readonly [string, string]>): MessageFilter => ({
  key: JSON.stringify(fields.map(([name, value]) => [name, value.toLowerCase()])),
  matches: (attributes) => fields.every(([name, value]) => equalsIgnoreCase(ownValue(attributes, name), value)),
})

const byList = (values: ReadonlyArray<string>): MessageFilter => ({
  key: JSON.stringify(values.map((value) => value.toLowerCase())),
  matches: (attributes) =>
    Object.values(attributes).some((own) => values.some((value) => equalsIgnoreCase(own, value))),
})

const matchesAll = "all"

/** Filters are an object or a list, as JSON or JSON in a string, or a name. */
const parseFilter = (raw: unknown): MessageFilter | undefined | typeof matchesAll => {
  if (raw === undefined || raw === null) return matchesAll
  if (typeof raw === "string") {
    const text = raw.trim()
    if (text === "") return matchesAll
    if (text.startsWith("{") || text.startsWith("[")) {
      const filter = parseFilter(parseJson(text) ?? 0)
      return typeof filter === "object" && /\s/.test(text) ? { ...filter, isSpaced: true } : filter
    }
    // A list with commas is one name that nothing has.
    return byList([text])
  }
  if (Array.isArray(raw)) {
    if (!raw.every((value) => typeof value === "string")) return undefined
    return raw.length === 0 ? matchesAll : byList(raw)
  }
  if (!isRecord(raw)) return undefined
  if (!Object.values(raw).every((value) => typeof value === "string" || typeof value === "number")) return undefined
  const fields = Object.entries(raw).map(([name, value]) => [name, String(value)] as const)
  return fields.length === 0 ? matchesAll : byFields(fields)
}

const parseSubscription = (raw: unknown): ReadonlyArray<RtdsSubscription> => {
  if (!isRecord(raw) || typeof raw["topic"] !== "string") return []
  const type = raw["type"] ?? "*"
  const filter = parseFilter(raw["filters"])
  if (typeof type !== "string" || filter === undefined) return []
  return [{ topic: raw["topic"], type, filter: filter === matchesAll ? undefined : filter }]
}

/** Undefined for malformed frames, which the real service ignores as well. */
export const parseRtdsFrame = (text: string): RtdsFrame | undefined => {
  const frame = parseJson(text)
  if (!isRecord(frame) || !Array.isArray(frame["subscriptions"])) return undefined
  const { action } = frame
  if (action !== "subscribe" && action !== "unsubscribe") return undefined
  return { action, subscriptions: frame["subscriptions"].flatMap(parseSubscription) }
}

export interface RtdsMessage {
  readonly topic: string
  readonly type: string
  readonly payload: object
}

/** Sends a message to its subscribers. The payload is computed only if there are any. */
export type Publish = (topic: string, type: string, attributes: MessageAttributes, payload: () => object) => void

/** A source of messages for some topics. */
export interface RtdsSource {
  readonly topics: ReadonlyArray<string>
  /** Messages sent immediately for a new filtered subscription. */
  readonly snapshots: (topic: string, filter: MessageFilter) => ReadonlyArray<RtdsMessage>
  /** Starts publishing; called once. */
  readonly start: (publish: Publish) => void
}
