import { Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { ledger } from "#test/ledger/support/following.ts"
import { type TestDatabase, testFoundation } from "#test/support/TestStores.ts"
import { serving } from "./serving.ts"

/** The log keeps every event. */
export const ledgerFlags = { "ledger.reorg-depth": "20", "event-log.retention": "3650d" }

/** The whole API over a ledger that a test follows itself, or over one that is filled. */
export const ledgerServer = (flags: Record<string, string> = {}, database?: TestDatabase) =>
  ApiServer.pipe(
    Layer.provideMerge(Layer.merge(serving, ledger)),
    Layer.provideMerge(
      testFoundation({ port: "0", host: "127.0.0.1", "sim.port": "1", ...ledgerFlags, ...flags }, [], database),
    ),
  )
