import { Effect } from "effect"
import { dayMillis } from "#src/domain/time.ts"
import { SocialFailed } from "./model.ts"
import type { SocialQuery } from "./query/model.ts"
import { socialReach } from "./settings.ts"

const weekMillis = 7 * dayMillis
/** X refuses a start that is over a week old when the request arrives. */
const marginMillis = 60_000
/** X refuses an end within the last ten seconds; posts are not searchable sooner. */
const delayMillis = 15_000

interface SearchRange {
  readonly start: number | undefined
  readonly end: number | undefined
  /** Whether it begins later than the query asks, because X has no older posts. */
  readonly isCut: boolean
}

/** The times that X is asked for. */
export const rangeOf = (
  { since, until }: Pick<SocialQuery, "since" | "until">,
  reach: "recent" | "all",
  now: number,
): Effect.Effect<SearchRange, SocialFailed> => {
  const wrong = (detail: string, hint: string) => Effect.fail(new SocialFailed({ kind: "query", detail, hint }))
  if (since !== undefined && since >= now - delayMillis) return wrong("since: is not in the past", "Days are in UTC.")
  const oldest = reach === "all" ? Number.NEGATIVE_INFINITY : now - weekMillis + marginMillis
  if (until !== undefined && until <= oldest) {
    return wrong(
      "until: is more than 7 days ago, and older posts are not searched",
      `See the setting ${socialReach.name}.`,
    )
  }
  const isCut = since !== undefined && since < oldest
  return Effect.succeed({
    start: isCut ? oldest : since,
    end: until !== undefined && until < now - delayMillis ? until : undefined,
    isCut,
  })
}
