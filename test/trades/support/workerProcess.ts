// A worker of exports and of nothing else.
import { tradesExport } from "#actors/tradesExport.ts"
import { runEntry } from "#test/support/processes/entry.ts"

runEntry(tradesExport)
