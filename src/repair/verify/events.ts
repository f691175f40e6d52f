import { Effect } from "effect"
import { isStanding } from "#src/ledger/factEvents.ts"
import { check, type Picture } from "./Check.ts"

/** What was told of blocks that are no longer there was taken back. */
export const checkEvents = Effect.fnUntraced(function* ({ sql, block }: Picture) {
  const [row] = yield* sql<{ n: number }>`
    select count(*)::int as n from event_log e where ${isStanding(sql)} and e.ref > ${block}`
  const standing = row?.n ?? 0
  return check(
    "events",
    standing,
    `none tells of a block after ${block} that was not taken back`,
    `${standing} tell of blocks after ${block} and were not taken back`,
  )
})
