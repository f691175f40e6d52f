import { hkdfSync, randomBytes, timingSafeEqual } from "node:crypto"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { presageDir } from "#src/platform/config/settings.ts"
import { type Directory, ensureFields, findSecrets, openDirectory } from "#src/platform/embedded/directory.ts"
import { StoreUnavailable } from "#src/platform/embedded/StoreUnavailable.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { fingerprintOf, type SecretBytes } from "./digest.ts"
import * as FingerprintStore from "./FingerprintStore.ts"
import { generate, isWellFormed } from "./keyFormat.ts"
import { presageSecret } from "./settings.ts"

/** The database was set up with other secrets: with these, every existing key would silently be unknown. */
export class OtherSecret extends Schema.TaggedError<OtherSecret>()("OtherSecret", { found: Schema.String }) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return (
      `The API keys in this database were made with a different secret than ${this.found}. ` +
      "Restore the original secrets.json, or set PRESAGE_SECRET to its original value. " +
      "To give up these keys, run `npm run -s presage -- keys abandon --yes`, which revokes all of them, then start again."
    )
  }
}

/** All keys and their secret were abandoned while this process was running. */
export class SecretAbandoned extends Schema.TaggedError<SecretAbandoned>()("SecretAbandoned", {}) {
  override get message() {
    return "the secret of this process was abandoned (presage keys abandon): restart it"
  }
}

interface SecretValues {
  /** For digests of keys. */
  readonly pepper: SecretBytes
  /** Encrypts webhook secrets: 32 bytes. */
  readonly encryptionKey: SecretBytes
  /** The demo key of a new instance. */
  readonly demoKey: Redacted.Redacted<string>
}

const secretLength = 32

const fromText = (secret: Redacted.Redacted<string>): SecretValues => {
  const derive = (purpose: string, length = secretLength) =>
    new Uint8Array(hkdfSync("sha256", Redacted.value(secret), "presage", purpose, length))
  return {
    pepper: Redacted.make(derive("pepper")),
    encryptionKey: Redacted.make(derive("encryption key")),
    demoKey: Redacted.make(generate((count) => derive("demo key", count))),
  }
}

const secretHex = () => randomBytes(secretLength).toString("hex")
const generators = { pepper: secretHex, encryptionKey: secretHex, demoKey: () => generate() }

const isSecretHex = (text: string) => /^[0-9a-f]{64}$/.test(text)
const isValid = { pepper: isSecretHex, encryptionKey: isSecretHex, demoKey: (text: string) => isWellFormed(text) }

const fromFile = Effect.fnUntraced(function* (dir: Directory) {
  const present = yield* findSecrets(dir)
  for (const [name, check] of Object.entries(isValid)) {
    if (present[name] === undefined || check(present[name])) continue
    const message = `${dir.file("secrets.json")}: ${name} is not valid, probably edited by hand; restore it from a backup.`
    return yield* new StoreUnavailable({ store: "directory", message })
  }
  const { pepper, encryptionKey, demoKey } = yield* ensureFields(dir, generators)
  const bytes = (hex: string) => Redacted.make(new Uint8Array(Buffer.from(hex, "hex")))
  const values: SecretValues = {
    pepper: bytes(pepper),
    encryptionKey: bytes(encryptionKey),
    demoKey: Redacted.make(demoKey),
  }
  return values
})

/** Secrets that protect keys and webhook secrets. */
export class Secrets extends Context.Service<Secrets, SecretValues>()("presage/keys/Secrets") {
  /** Needs the tables. Fails, and creates nothing, if the database was set up with other secrets. */
  static readonly layer = Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const config = yield* Configuration
      const { sql } = yield* Postgres
      const known = yield* FingerprintStore.find(sql)
      const given = config.get(presageSecret)

      const own = Effect.gen(function* () {
        const dir = yield* openDirectory(config.get(presageDir))
        const found = dir.file("secrets.json")
        const { pepper } = yield* findSecrets(dir)
        if (pepper === undefined && known !== undefined)
          return yield* new OtherSecret({ found: `the one ${found} would contain` })
        return { values: yield* fromFile(dir), found: `the one in ${found}` }
      })
      const { values, found } = Option.isSome(given)
        ? { values: fromText(given.value), found: "the one in PRESAGE_SECRET" }
        : yield* own

      const ours = fingerprintOf(values.pepper, values.encryptionKey)
      const agreed = known ?? (yield* FingerprintStore.agree(sql, ours))
      if (agreed.length !== ours.length || !timingSafeEqual(agreed, ours)) return yield* new OtherSecret({ found })
      return Secrets.of(values)
    }),
  )
}
