import { Clock, Effect } from "effect"
import { growingCache } from "#src/platform/growingCache.ts"
import { NoSource, type Sourced } from "./model.ts"

/** What a source may answer: a value, nothing because it has none, or a failure. */
export type SourceAnswer<A> = Effect.Effect<Sourced<A> | undefined, unknown>

export interface Sources<A> {
  /** Our catalogue; answers with `stale` when it is too old to come first. */
  readonly catalogue: SourceAnswer<A>
  /** The venue's lists, best first. */
  readonly venue: ReadonlyArray<SourceAnswer<A>>
  /** Whether a catalogue without an answer settles that there is none. */
  readonly isFinal: boolean
}

const rememberedAnswers = 2_000
/** A failed list of the venue is not asked again for this long, because every request would wait for its timeout. */
const pauseMillis = 3_000

/**
 * Asks one source after the other: the catalogue while it is fresh, the venue's lists, the stale catalogue, and the last
 * answer that was good. Undefined if a source that answered has nothing.
 */
export const makeFirstGood = <A>(staleMillis: () => number) => {
  const remembered = growingCache<string, Sourced<A>>(rememberedAnswers)
  const pausedUntil = new Map<number, number>()
  return Effect.fnUntraced(function* (key: string, now: number, { catalogue, venue, isFinal }: Sources<A>) {
    const reasons: Array<string> = []
    const attempt = (source: SourceAnswer<A>) =>
      Effect.match(source, {
        onSuccess: (answer) => ({ answered: true, answer }),
        onFailure: (failure) => {
          reasons.push(failure instanceof Error ? failure.message : String(failure))
          return { answered: false, answer: undefined }
        },
      })
    const good = (answer: Sourced<A>) => {
      remembered.set(key, answer)
      return answer
    }
    const first = yield* attempt(catalogue)
    if (first.answer?.stale === false) return good(first.answer)
    if (first.answered && first.answer === undefined && isFinal) return undefined
    for (const [index, source] of venue.entries()) {
      if (now < (pausedUntil.get(index) ?? 0)) {
        reasons.push("a list of the venue has just failed")
        continue
      }
      const { answered, answer } = yield* attempt(source)
      if (!answered) pausedUntil.set(index, (yield* Clock.currentTimeMillis) + pauseMillis)
      if (answer !== undefined) return good(answer)
      if (answered && first.answer === undefined) return undefined
    }
    const last = first.answer ?? remembered.get(key)
    if (last !== undefined && now - last.at <= staleMillis()) return { ...last, stale: true }
    return yield* new NoSource({ reason: reasons.join("; ") || "the last good answer is too old" })
  })
}
