import { Duration } from "effect"
import type { Fate } from "./model.ts"
import type { Answer } from "./Sender.ts"

/** The endpoint says that it is there no more, and asks for nothing further. */
export const isGone = ({ statusCode }: Pick<Answer, "statusCode">): boolean => statusCode === 410

/** What becomes of a delivery after an attempt, of which it is the `tries`-th of its round. */
export const fateOf = (
  answer: Pick<Answer, "success" | "statusCode">,
  tries: number,
  waits: ReadonlyArray<Duration.Duration>,
  now: number,
): Fate => {
  if (answer.success) return { status: "delivered", nextAt: null }
  const wait = waits[tries - 1]
  if (wait === undefined || isGone(answer)) return { status: "failed", nextAt: null }
  return { status: "pending", nextAt: new Date(now + Duration.toMillis(wait)) }
}
