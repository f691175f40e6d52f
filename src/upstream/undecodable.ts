import { Array as Arr, Clock, Context, Effect, Metric } from "effect"

/** Something that an upstream said and nobody could read. */
export interface Unread {
  readonly reason: string
  readonly item: unknown
}

/** The last of them, for whoever wants to know what they look like. */
export interface UnreadNote {
  /** Milliseconds. */
  readonly at: number
  readonly what: string
  readonly reason: string
  readonly sample: string
}

interface Notes {
  readonly last: Map<string, UnreadNote>
  /** When a line was last written about something, and how many were passed over without one since. */
  readonly lines: Map<string, { readonly at: number; readonly untold: number }>
}

/** One for the whole process, as metrics are. */
export const UnreadNotes = Context.Reference<Notes>("presage/upstream/UnreadNotes", {
  defaultValue: () => ({ last: new Map(), lines: new Map() }),
})

/** The last unreadable thing of each upstream that had one. */
export const lastUnread: Effect.Effect<ReadonlyMap<string, UnreadNote>> = Effect.map(UnreadNotes, ({ last }) => last)

const counted = (source: string, what: string, reason: string) =>
  Metric.counter("presage_upstream_undecodable_total", {
    description: "Rows and messages of upstreams that could not be read and were passed over",
    incremental: true,
    attributes: { source, what, reason },
  })

const lineEveryMillis = 10_000
const sampleLength = 300

const textOf = (item: unknown) => (typeof item === "string" ? item : (JSON.stringify(item) ?? ""))

/** Short, on one line, and fit to be stored: no text of Postgres takes a NUL or half a character. */
const excerpt = (text: string) =>
  text
    .slice(0, sampleLength)
    .replace(/\s+/g, " ")
    .replace(/\p{Cc}|\p{Cs}/gu, "\uFFFD")

/** A label has to be one of few: the words of the decoder name the field, and there are many. */
const classOf = ({ item }: Unread): string => {
  if (typeof item !== "string") return "wrong-shape"
  try {
    JSON.parse(item)
    return "wrong-shape"
  } catch {
    return "not-json"
  }
}

/** Counts what could not be read and keeps one of it in the log, a few times a minute at most; the stream goes on. */
export const skip = (source: string, what: string, unread: ReadonlyArray<Unread>) => {
  const [first] = unread
  return first === undefined ? Effect.void : passOverSome(source, what, first, unread)
}

const passOverSome = (source: string, what: string, first: Unread, unread: ReadonlyArray<Unread>) =>
  Effect.gen(function* () {
    for (const [reason, those] of Object.entries(Arr.groupBy(unread, classOf))) {
      yield* Metric.update(counted(source, what, reason), those.length)
    }
    const { last, lines } = yield* UnreadNotes
    const at = yield* Clock.currentTimeMillis
    const [reason, sample] = [excerpt(first.reason), excerpt(textOf(first.item))]
    last.set(source, { at, what, reason, sample })

    const key = `${source} ${what}`
    const before = lines.get(key)
    if (before !== undefined && Math.abs(at - before.at) < lineEveryMillis) {
      lines.set(key, { ...before, untold: before.untold + unread.length })
      return
    }
    lines.set(key, { at, untold: 0 })
    const earlier = before === undefined || before.untold === 0 ? "" : ` and ${before.untold} before`
    yield* Effect.logWarning(`${source}: passed over ${unread.length} ${what}(s)${earlier}: ${reason}`).pipe(
      Effect.annotateLogs({ sample }),
    )
  })
