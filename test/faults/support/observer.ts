import { Effect } from "effect"
import { pause } from "#src/platform/embedded/waiting.ts"
import type { HealthReport } from "#src/platform/telemetry/Health.ts"
import type { SourcesReport } from "#src/status/model.ts"

/** An answer; status 0 is none. */
export interface Answer<A = unknown> {
  readonly at: number
  readonly millis: number
  readonly status: number
  readonly body: A | undefined
}

const everyMillis = 250
/** Longer than any request may take. */
const noAnswerAfter = 15_000

export const ask = async <A>(url: string, key?: string): Promise<Answer<A>> => {
  const at = Date.now()
  try {
    const headers: Record<string, string> = key === undefined ? {} : { "x-api-key": key }
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(noAnswerAfter) })
    const body = (await answer.json()) as A
    return { at, millis: Date.now() - at, status: answer.status, body }
  } catch {
    return { at, millis: Date.now() - at, status: 0, body: undefined }
  }
}

/** Asks all the time, and remembers what was answered. */
export class Observer {
  readonly readiness: Array<Answer<HealthReport>> = []
  readonly status: Array<Answer<SourcesReport>> = []
  readonly data: Array<Answer> = []
  /** What the venue itself said: its newest block by time. */
  readonly heads: Array<{ readonly at: number; readonly head: number }> = []

  since(at: number) {
    const after = <A extends { readonly at: number }>(all: ReadonlyArray<A>) => all.filter((each) => each.at >= at)
    return { readiness: after(this.readiness), status: after(this.status), data: after(this.data) }
  }

  /** The venue's newest block at a time. */
  headAt(at: number): number {
    return this.heads.findLast((each) => each.at <= at)?.head ?? 0
  }
}

const repeatedly = (work: () => Promise<unknown>) =>
  Effect.forever(Effect.andThen(Effect.promise(work), pause(everyMillis)))

/** Watches a service until the scope closes. */
export const observe = Effect.fnUntraced(function* (api: string, key: string, venue: string) {
  const observer = new Observer()
  const loops: ReadonlyArray<() => Promise<unknown>> = [
    async () => observer.readiness.push(await ask(`${api}/readyz`)),
    async () => observer.status.push(await ask(`${api}/v1/status`, key)),
    async () => observer.data.push(await ask(`${api}/v1/events?after=0&limit=5`, key)),
    async () => {
      const { at, body } = await ask<{ readonly head: number }>(`${venue}/_sim/state`)
      if (body !== undefined) observer.heads.push({ at, head: body.head })
    },
  ]
  for (const loop of loops) yield* Effect.forkScoped(repeatedly(loop))
  return observer
})

/** For example `200 ×40, 503 ×12, none ×2; slowest 5.1 s`. */
export const summary = (answers: ReadonlyArray<Answer>): string => {
  const counts = Map.groupBy(answers, ({ status }) => status)
  const words = [...counts]
    .toSorted(([a], [b]) => b - a)
    .map(([status, { length }]) => `${status === 0 ? "none" : status} ×${length}`)
  const slowest = Math.max(0, ...answers.map(({ millis }) => millis))
  return words.length === 0 ? "–" : `${words.join(", ")}; slowest ${(slowest / 1000).toFixed(1)} s`
}
