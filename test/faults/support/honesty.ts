import type { Observer } from "./observer.ts"
import { patience } from "./patience.ts"
import type { Row } from "./Row.ts"

/** Half a minute is allowed, and a second for which an answer is kept. */
const lateAfterMillis = 32_000
/** Two answers are compared that were asked for at nearly the same time. */
const togetherMillis = 3_000
const idleAfterMillis = lateAfterMillis + togetherMillis
/** Requests without a limit of their own end a second after that of statements. */
const slowestMillis = 7_000
/** A check has a second, and the observer asks four times a second. */
const toldWithinSeconds = 5

const states = ["down", "up"] as const

/** Answers that say more than is true, or that no client should get. */
export const lies = (
  observer: Observer,
  row: Pick<Row, "silencesApi" | "tells">,
  from: number,
  until: number,
): ReadonlyArray<string> => {
  const { readiness, status, data } = observer.since(from)
  const found: Array<string> = []
  const during = <A extends { readonly at: number }>(all: ReadonlyArray<A>) => all.filter(({ at }) => at <= until)

  // A block that was the newest one half a minute ago must be in the ledger, or nothing may be called well.
  for (const { at, body, status: code } of status) {
    const chain = body?.sources?.find(({ source }) => source === "chain")
    if (code !== 200 || chain === undefined) continue
    const block = Number(chain.details["block"] ?? 0)
    const [late, idle] = [observer.headAt(at - lateAfterMillis), observer.headAt(at - idleAfterMillis)]
    if (block < late && chain.state === "ok") found.push(`/v1/status says ok at block ${block}, when ${late} was old`)
    const ready = readiness.findLast((each) => each.at <= at && each.at > at - togetherMillis)
    // A service that catches up may say that it is ready.
    if (block < idle && chain.rows_per_second === 0 && ready?.status === 200)
      found.push(
        `/readyz says ready at block ${block} and reads nothing, when ${idle} was old: /v1/status says ${chain.state}, age ${chain.age_seconds} s, lag ${chain.lag}`,
      )
  }
  for (const { body, status: code } of readiness) {
    if (code !== 0 && (code === 200) !== (body?.status === "ready"))
      found.push(`/readyz has ${code} and ${body?.status}`)
  }
  if (!(row.silencesApi ?? false)) {
    for (const [path, answers] of Object.entries({ readyz: readiness, status, data: during(data) })) {
      const bad = answers.filter((each) => each.status !== 200 && each.status !== 503)
      if (bad.length > 0) found.push(`/${path} was answered with ${bad[0]?.status || "nothing"} ${bad.length} times`)
      const slow = answers.filter(({ millis }) => millis > slowestMillis * patience)
      if (slow.length > 0) found.push(`/${path} took ${slow[0]?.millis} ms`)
    }
  }
  if (row.tells !== undefined) {
    const { guilty, innocent, withinSeconds = toldWithinSeconds } = row.tells
    const names = new Map(
      states.map((state) => [
        state,
        during(readiness).filter(({ body }) => body?.dependencies?.[guilty]?.state === state),
      ]),
    )
    const first = names.get("down")?.[0]
    if (first === undefined) found.push(`/readyz never said that ${guilty} was down`)
    else if (first.at - from > withinSeconds * 1_000 * patience)
      found.push(`/readyz named ${guilty} after ${first.at - from} ms`)
    const reasons = readiness.flatMap(({ body }) => {
      const { state, detail = "" } = body?.dependencies?.[innocent ?? ""] ?? {}
      // That a process itself is busy is said of the process.
      return state === "down" && !/this process was busy/.test(detail) ? [detail] : []
    })
    if (reasons.length > 0) found.push(`/readyz blamed ${innocent} ${reasons.length} times: ${reasons[0]}`)
  }
  return [...new Set(found)]
}
