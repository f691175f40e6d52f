// A worker that only runs exports.
import { tradesExport } from "#actors/tradesExport.ts"
import { runEntry } from "#test/support/processes/entry.ts"

runEntry(tradesExport)
