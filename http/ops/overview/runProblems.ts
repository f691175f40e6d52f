import { Option, Schema } from "effect"
import type { Problem } from "#src/operators/problems.ts"
import { type Run, VerifyResult } from "#src/repair/runs/model.ts"

const decode = Schema.decodeUnknownOption(VerifyResult)

/** The last verification says whether the ledger is sound. Runs are the newest first. */
export const runProblems = (runs: ReadonlyArray<Run>): ReadonlyArray<Problem> => {
  const last = runs.find(({ kind, state }) => kind === "verify" && state === "done")
  const wrong = Option.match(decode(last?.result), {
    onNone: () => [],
    onSome: ({ checks }) => checks.filter(({ ok }) => !ok).map(({ check }) => check),
  })
  if (wrong.length === 0) return []
  return [{ level: "critical", section: "checks", text: `The last verification found errors: ${wrong.join(", ")}` }]
}
