import { Layer, ManagedRuntime } from "effect"
import { tradesExport } from "#actors/tradesExport.ts"
import { foundation } from "#src/roles/Foundation.ts"
import type { WorkerSubject } from "../support/exports.ts"
import { expose } from "../support/expose.ts"
import { configuration } from "./foundation.ts"

const runtime = ManagedRuntime.make(
  tradesExport.pipe(Layer.provideMerge(foundation), Layer.provideMerge(configuration())),
)

expose<WorkerSubject>({ work: async () => void (await runtime.context()) })
