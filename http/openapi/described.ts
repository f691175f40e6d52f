import { Schema } from "effect"

/** A schema with the words that the contract has for it. */
export const about = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })

export const text = (description: string) => about(Schema.String, description)
export const textOrNull = (description: string) => about(Schema.NullOr(Schema.String), description)
export const number = (description: string) => about(Schema.Finite, description)
export const numberOrNull = (description: string) => about(Schema.NullOr(Schema.Finite), description)
export const integer = (description: string) => about(Schema.Int, description)
export const integerOrNull = (description: string) => about(Schema.NullOr(Schema.Int), description)
export const dollars = (description: string) => number(`${description}, in dollars`)
