import { Effect, Layer } from "effect"
import * as Statement from "effect/unstable/sql/Statement"

export interface Recorded {
  readonly text: string
  /** One entry per run, oldest first. */
  readonly runs: Array<ReadonlyArray<unknown>>
}

/** Records every statement with parameters that the provided layers run. */
export const recordStatements = () => {
  const recorded = new Map<string, Recorded>()
  const record: Statement.Transformer = (statement) => {
    const [text, params] = statement.compile()
    if (params.length > 0) {
      const known = recorded.get(text) ?? { text, runs: [] }
      known.runs.push(params)
      recorded.set(text, known)
    }
    return Effect.succeed(statement)
  }
  return { recorded, layer: Layer.succeed(Statement.CurrentTransformer, record) }
}
