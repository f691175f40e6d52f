import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import type { Name, NameKind } from "#src/catalogue/NameStore.ts"
import { bytesOfCondition } from "#src/domain/ConditionId.ts"
import { bytesOfToken } from "#src/domain/TokenId.ts"
import { isOpenSql } from "./positionSql.ts"

export const shownStatuses = ["all", "open", "closed", "redeemable", "redeemed"] as const
export type ShownStatus = (typeof shownStatuses)[number]

/** Filter of position lists. */
export interface PositionFilter {
  readonly status?: ShownStatus | undefined
  readonly tagSlug?: string | undefined
  readonly marketSlug?: string | undefined
  readonly eventSlug?: string | undefined
  readonly conditionId?: string | undefined
  readonly tokenId?: string | undefined
  /** In 10⁻⁶ shares. */
  readonly minSize?: bigint | undefined
}

/** The names of the filter, which may not exist. */
export const namesIn = ({
  tokenId,
  conditionId,
  marketSlug,
  eventSlug,
  tagSlug,
}: PositionFilter): ReadonlyArray<Name> => {
  const named = (kind: NameKind, value: string | undefined) => (value === undefined ? [] : [{ kind, value }])
  return [
    ...named("tag", tagSlug),
    ...named("market", marketSlug),
    ...named("event", eventSlug),
    ...named("condition", conditionId),
    ...named("token", tokenId),
  ]
}

/** Conditions on a token `t`. */
export const tokenConditions = (sql: SqlClient, filter: PositionFilter): ReadonlyArray<Fragment> => {
  const { tokenId, conditionId, marketSlug, eventSlug, tagSlug } = filter
  return [
    ...(tokenId === undefined ? [] : [sql`t.hash = ${bytesOfToken(tokenId)}`]),
    ...(conditionId === undefined
      ? []
      : [sql`t.condition = (select id from condition where hash = ${bytesOfCondition(conditionId)})`]),
    ...(marketSlug === undefined
      ? []
      : [sql`t.condition in (select condition from market where slug = ${marketSlug})`]),
    ...(eventSlug === undefined ? [] : [sql`t.event in (select id from event where slug = ${eventSlug})`]),
    ...(tagSlug === undefined
      ? []
      : [sql`t.event in (select e.id from event e where e.tags @> ${JSON.stringify([tagSlug])}::jsonb)`]),
  ]
}

const statusConditions: Readonly<Record<ShownStatus, string | undefined>> = {
  all: undefined,
  open: isOpenSql,
  closed: `not ${isOpenSql}`,
  redeemable: "p.shares > 0 and t.payout > 0",
  redeemed: "p.shares <= 0 and p.redeemed",
}

/** Conditions on a position `p` of a token `t`. */
export const positionConditions = (sql: SqlClient, { status = "all", minSize }: PositionFilter) => {
  const ofStatus = statusConditions[status]
  return [
    ...(ofStatus === undefined ? [] : [sql.literal(ofStatus)]),
    ...(minSize === undefined ? [] : [sql`p.shares >= ${minSize}`]),
  ]
}
