import { Effect, Redacted } from "effect"
import { Command, Flag } from "effect/unstable/cli"
import { Keys } from "#src/keys/Keys.ts"
import { json, set } from "./configured.ts"
import { asAccountId, asName, keysFor, name } from "./keyServices.ts"
import { plainKey } from "./plainKey.ts"
import { print, printJson } from "./print.ts"

/** From standard input, because arguments are seen by everybody on the machine and kept in histories. */
const keyFromInput = Effect.promise(async () => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Redacted.make(Buffer.concat(chunks).toString("utf8").trim())
})

export const importKey = Command.make(
  "import",
  {
    account: Flag.String("account").pipe(Flag.withDescription("Id of an account, as in 'presage accounts list'")),
    name,
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      const account = yield* asAccountId(flags.account)
      const name = yield* asName(flags.name)
      const key = yield* keyFromInput
      const taken = Effect.flatMap(Keys, (keys) => keys.importKey(account, name, key))
      const record = yield* Effect.provide(taken, keysFor(flags.set))
      yield* flags.json ? printJson(plainKey(record)) : print(`took over ${record.shown} (key ${record.id})`)
    }),
).pipe(
  Command.withDescription(
    "Take over a key that another service gave out, read from standard input; it begins with keys.legacy-prefix",
  ),
  Command.withExamples([
    { command: "presage keys import --account ID --name ada < key.txt", description: "Ada goes on using her old key" },
  ]),
)
