// A worker: runs pending work, and requeues work that Redis may have lost.
import { Layer } from "effect"
import { settingsOf } from "#src/mesh/Job.ts"
import { runEntry } from "../entry.ts"
import { Work, workHandler, workSweep } from "../work.ts"

runEntry(Layer.merge(workHandler, workSweep), settingsOf(Work))
