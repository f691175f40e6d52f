// A worker that only computes copy scores.
import { copyPnl } from "#actors/copyPnl.ts"
import { runEntry } from "#test/support/processes/entry.ts"

runEntry(copyPnl)
