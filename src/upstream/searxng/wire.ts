import { Option, Schema } from "effect"
import type { EngineFailure, FoundPage, SearchPage } from "./model.ts"

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))

export const WireResult = Schema.Struct({
  url: Schema.String,
  title: Text,
  content: Text,
  engine: Text,
  engines: Schema.optionalKey(Schema.Array(Schema.String)),
  score: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  category: Text,
  publishedDate: Text,
})

/** Answers are texts in older versions, objects in newer ones, and some of these have no single text. */
const WireAnswer = Schema.Union([Schema.String, Schema.Struct({ answer: Schema.optionalKey(Schema.String) })])

/** Rows are decoded one by one, so that one odd row does not cost the others. */
export const WirePage = Schema.Struct({
  results: Schema.Array(Schema.Unknown),
  answers: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  suggestions: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  unresponsive_engines: Schema.optionalKey(Schema.Array(Schema.Unknown)),
})

const WireFailure = Schema.TupleWithRest(Schema.Tuple([Schema.String, Schema.String]), [Schema.Unknown])

const decodeAnswer = Schema.decodeUnknownOption(WireAnswer)
const decodeFailure = Schema.decodeUnknownOption(WireFailure)

const textsIn = (rows: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  rows.filter((row): row is string => typeof row === "string")

const answersIn = (rows: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  rows.flatMap((row) => {
    const answer = Option.getOrUndefined(decodeAnswer(row))
    const text = typeof answer === "string" ? answer : answer?.answer
    return text === undefined ? [] : [text]
  })

const failuresIn = (rows: ReadonlyArray<unknown>): ReadonlyArray<EngineFailure> =>
  rows.flatMap((row) =>
    Option.match(decodeFailure(row), {
      onNone: () => [],
      onSome: ([engine, reason]) => [{ engine, reason }],
    }),
  )

/** A time without a zone is UTC. */
const timeOf = (text: string | null | undefined): number | undefined => {
  if (text === null || text === undefined || text === "") return undefined
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/.test(text)
  const millis = Date.parse(hasZone || !text.includes(":") ? text : `${text.replace(" ", "T")}Z`)
  return Number.isNaN(millis) ? undefined : millis
}

export const pageOf = ({ url, title, content, engine, engines, ...result }: typeof WireResult.Type): FoundPage => ({
  url,
  title: title ?? "",
  text: content ?? "",
  engines: engines ?? (engine ? [engine] : []),
  score: result.score ?? 0,
  category: result.category ?? "general",
  publishedAt: timeOf(result.publishedDate),
})

/** The parts of a response beside its results. */
export const restOf = (page: typeof WirePage.Type): Omit<SearchPage, "results"> => ({
  answers: answersIn(page.answers ?? []),
  suggestions: textsIn(page.suggestions ?? []),
  failures: failuresIn(page.unresponsive_engines ?? []),
})
