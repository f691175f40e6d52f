import { setImmediate as nextTurn } from "node:timers/promises"
import { getHeapSpaceStatistics } from "node:v8"
import { Effect } from "effect"
import { Command } from "ioredis"

const count = 200
const large = () => Array.from({ length: 1_000 }, (_, i) => ({ i, half: [i / 2] }))

/** A fiber that waits for its result. */
const runFiber = () =>
  Effect.runPromise(
    Effect.callback<ReturnType<typeof large>>((resume) => {
      setImmediate(() => resume(Effect.succeed(large())))
    }),
  )

/** A command with a large argument, which is answered. */
const runCommand = async () => {
  const command = new Command("set", ["key", "value"])
  Object.assign(command, { args: large() })
  command.resolve(Buffer.from("OK"))
  await command.promise
}

/** Megabytes that minor collections move to the old generation. */
const keptBy = async (run: () => Promise<unknown>) => {
  const old = () => {
    globalThis.gc?.({ type: "minor" })
    return getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? 0
  }
  const before = old()
  for (let i = 0; i < count; i++) {
    await run()
    await nextTurn()
    if (i % 10 === 9) old()
  }
  old()
  return (old() - before) / 1024 / 1024
}

process.stdout.write(JSON.stringify({ fibers: await keptBy(runFiber), commands: await keptBy(runCommand) }))
