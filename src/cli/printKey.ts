import { Effect } from "effect"

/** Prints what holds a new key: to standard output alone, and whole, which `print` takes care not to do. */
export const printKey = (text: string) => Effect.sync(() => void process.stdout.write(`${text}\n`))
