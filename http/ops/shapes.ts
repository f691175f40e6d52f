import { Schema } from "effect"

/** A number with its meaning. */
export const about = (description: string) => Schema.Number.annotate({ description })
export const moment = Schema.String.annotate({ description: "UTC, ISO 8601" })
export const maybeMoment = Schema.NullOr(moment)
export const counts = (description: string) => Schema.Record(Schema.String, Schema.Number).annotate({ description })

export const iso = (millis: number) => new Date(millis).toISOString()
export const maybeIso = (date: Date | null) => date?.toISOString() ?? null
