import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { BadInput } from "../server/errors.ts"

const annotation = "badInput"

/** A schema issue that is answered with exactly this error. */
export const refusedWith = (error: BadInput): SchemaIssue.Issue => new SchemaIssue.InvalidValue({ [annotation]: error })

/** The error that the schema declares for the first issue, if any. */
export const declaredRefusal = (issue: SchemaIssue.Issue): BadInput | undefined => {
  const declared = issue._tag === "InvalidValue" ? issue.annotations?.[annotation] : undefined
  if (declared instanceof BadInput) return declared
  const inner = "issues" in issue ? issue.issues[0] : "issue" in issue ? issue.issue : undefined
  return inner && declaredRefusal(inner)
}

/**
 * A text parameter that `parse` turns into a value, or into the error to answer with. The contract says that it is a
 * string; the annotation `documentedAs` is another JSON Schema for it.
 */
export const parameter = <A>(parse: (text: string) => A | BadInput) =>
  Schema.String.pipe(
    Schema.decodeTo(
      Schema.declare((value): value is A => value !== undefined),
      SchemaTransformation.transformEffect({
        decode: (text: string) => {
          const value = parse(text)
          return value instanceof BadInput ? Effect.fail(refusedWith(value)) : Effect.succeed(value)
        },
        encode: () => Effect.fail(new SchemaIssue.Forbidden({ message: "parameters are only read" })),
      }),
    ),
  )

/** A parameter that is parsed as an empty text when it is missing. */
export const parameterOrEmpty = <A>(parse: (text: string) => A | BadInput, description: string) =>
  parameter(parse)
    .annotate({ description })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("")))
