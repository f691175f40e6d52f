import { Effect } from "effect"
import { LedgerCoverage } from "#src/ledger/coverage/LedgerCoverage.ts"
import { shownCoverage } from "#src/ledger/coverage/shape.ts"
import { unavailable } from "../server/errors.ts"

const storeFailed = unavailable("coverage")

/** Reads the coverage of the ledger. Read it before the rows of an answer, which then cover at least that. */
export const coverageOf = Effect.map(
  LedgerCoverage,
  (ledger) => (covers: "facts" | "positions") =>
    Effect.map(Effect.catch(ledger.now, storeFailed), (covered) => shownCoverage(covered?.[covers])),
)
