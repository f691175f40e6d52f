// A worker of copy scores and of nothing else.
import { copyPnl } from "#actors/copyPnl.ts"
import { runEntry } from "#test/support/processes/entry.ts"

runEntry(copyPnl)
