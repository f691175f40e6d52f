import { Clock, Effect, Schema } from "effect"
import { AccountId, KeyId } from "#src/domain/Account.ts"
import { dayText } from "#src/domain/time.ts"

/** A calendar month in UTC. */
export const Month = Schema.String.check(
  Schema.makeFilter((text) => /^(20\d\d|2100)-(0[1-9]|1[0-2])$/.test(text), {
    message: "Expected a month as YYYY-MM, from 2000-01 to 2100-12",
    description: "A month in UTC as YYYY-MM, from 2000-01 to 2100-12",
  }),
).pipe(Schema.brand("Month"))
export type Month = typeof Month.Type

export const currentMonth: Effect.Effect<Month> = Effect.map(Clock.currentTimeMillis, (millis) =>
  Month.make(dayText(millis).slice(0, 7)),
)

const counted = {
  requests: Schema.Int.annotate({
    description: "Requests with a valid key; requests refused by a rate limit (429) do not count",
  }),
  bytes: Schema.Int.annotate({ description: "Bytes delivered over streams; 1 GB is 1,000,000,000 bytes" }),
}

/** Usage of an account in a month. */
export const MonthlyUsage = Schema.Struct({
  account_id: AccountId,
  month: Month,
  ...counted,
  by_family: Schema.Array(
    Schema.Struct({
      family: Schema.String.annotate({ description: "Group of endpoints, for example `crypto` or `stream`" }),
      ...counted,
    }),
  ).annotate({ description: "Most requests first" }),
  by_day: Schema.Array(
    Schema.Struct({ day: Schema.String.annotate({ description: "YYYY-MM-DD, in UTC" }), ...counted }),
  ).annotate({ description: "In order; days without usage are omitted" }),
  by_day_and_family: Schema.Array(Schema.Struct({ day: Schema.String, family: Schema.String, ...counted })).annotate({
    description: "In order of days, most requests first; pairs without usage are omitted",
  }),
  by_key: Schema.Array(
    Schema.Struct({
      key_id: KeyId,
      name: Schema.String.annotate({ description: "Name of the key; revoked keys are included" }),
      ...counted,
    }),
  ).annotate({ description: "Most requests first" }),
  quotas: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        quota: Schema.String.annotate({ description: "What is counted, for example `social`" }),
        used: Schema.Int.annotate({ description: "Answers with status 200 in the month" }),
        limit: Schema.Int.annotate({ description: "Per month, by the account's current plan" }),
      }),
    ).annotate({ description: "Monthly quotas; always up to date" }),
  ),
  as_of: Schema.String.annotate({ description: "Time of this report, in UTC" }),
  behind_seconds: Schema.Number.annotate({
    description: "Usage in this many seconds before `as_of` may still be missing (setting usage.flush)",
  }),
}).annotate({ identifier: "MonthlyUsage" })
export type MonthlyUsage = typeof MonthlyUsage.Type
