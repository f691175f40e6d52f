import { Layer, ManagedRuntime } from "effect"
import { copyPnl } from "#actors/copyPnl.ts"
import { foundation } from "#src/roles/Foundation.ts"
import type { WorkerSubject } from "../support/exports.ts"
import { expose } from "../support/expose.ts"
import { configuration } from "./foundation.ts"
import { ledgerClock } from "./ledgerClock.ts"

const runtime = ManagedRuntime.make(
  copyPnl.pipe(Layer.provideMerge(foundation), Layer.provideMerge(configuration()), Layer.provideMerge(ledgerClock)),
)

expose<WorkerSubject>({ work: async () => void (await runtime.context()) })
