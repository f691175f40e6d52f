import { Effect } from "effect"
import type { HistoryInterval, HistoryRequest } from "#src/sports/historyWindow.ts"
import { BadInput } from "../../../server/errors.ts"

export interface HistoryInput {
  readonly interval?: HistoryInterval
  readonly start_ts?: number
  readonly end_ts?: number
  readonly fidelity?: number
}

export const readHistory = ({ interval, start_ts: startTs, end_ts: endTs, fidelity }: HistoryInput) => {
  const refused = (error: string, param: string, hint: string) => Effect.fail(new BadInput({ error, param, hint }))
  if (interval !== undefined && startTs !== undefined)
    return refused("`interval` and `start_ts` are two beginnings.", "interval", "Use one of them.")
  if (startTs !== undefined && endTs !== undefined && startTs >= endTs)
    return refused("`start_ts` must be less than `end_ts`.", "start_ts", "Exchange the two, or omit one.")
  return Effect.succeed<HistoryRequest>({ interval, startTs, endTs, fidelity })
}
