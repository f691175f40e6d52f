import { hkdfSync, randomBytes, timingSafeEqual } from "node:crypto"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { presageDir } from "#src/platform/config/settings.ts"
import { type Directory, ensureFields, findSecrets, openDirectory } from "#src/platform/embedded/directory.ts"
import { StoreUnavailable } from "#src/platform/embedded/StoreUnavailable.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { fingerprintOf, type SecretBytes } from "./digest.ts"
import * as FingerprintStore from "./FingerprintStore.ts"
import { generate, isWellFormed } from "./keyFormat.ts"
import { presageSecret } from "./settings.ts"

/** The database was set up with other secrets: with these, every key that exists would be unknown without a word. */
export class OtherSecret extends Schema.TaggedError<OtherSecret>()("OtherSecret", { found: Schema.String }) {
  override get message() {
    return (
      `The API keys in this database were made with another secret than ${this.found}. ` +
      "Restore the secrets.json they were made with, or set PRESAGE_SECRET to what it was. " +
      "If they are to be given up, `npm run -s presage -- keys abandon --yes` revokes all of them; then start again."
    )
  }
}

/** All keys and their secret were abandoned while this process was running. */
export class SecretAbandoned extends Schema.TaggedError<SecretAbandoned>()("SecretAbandoned", {}) {
  override get message() {
    return "the secret of this process was given up (presage keys abandon): start it again"
  }
}

interface Held {
  /** What digests of keys are made with. */
  readonly pepper: SecretBytes
  /** What webhook secrets are encrypted with: 32 bytes. */
  readonly encryptionKey: SecretBytes
  /** The key that a new instance shows its user. */
  readonly demoKey: Redacted.Redacted<string>
}

const secretLength = 32

const fromText = (secret: Redacted.Redacted<string>): Held => {
  const derive = (purpose: string, length = secretLength) =>
    new Uint8Array(hkdfSync("sha256", Redacted.value(secret), "presage", purpose, length))
  return {
    pepper: Redacted.make(derive("pepper")),
    encryptionKey: Redacted.make(derive("encryption key")),
    demoKey: Redacted.make(generate((count) => derive("demo key", count))),
  }
}

const secretHex = () => randomBytes(secretLength).toString("hex")
const makers = { pepper: secretHex, encryptionKey: secretHex, demoKey: () => generate() }

const isSecretHex = (text: string) => /^[0-9a-f]{64}$/.test(text)
const isSound = { pepper: isSecretHex, encryptionKey: isSecretHex, demoKey: (text: string) => isWellFormed(text) }

const fromFile = Effect.fnUntraced(function* (dir: Directory) {
  const present = yield* findSecrets(dir)
  for (const [name, check] of Object.entries(isSound)) {
    if (present[name] === undefined || check(present[name])) continue
    const message = `${dir.file("secrets.json")}: ${name} was changed by hand; restore it from a copy.`
    return yield* new StoreUnavailable({ store: "directory", message })
  }
  const { pepper, encryptionKey, demoKey } = yield* ensureFields(dir, makers)
  const bytes = (hex: string) => Redacted.make(new Uint8Array(Buffer.from(hex, "hex")))
  const held: Held = {
    pepper: bytes(pepper),
    encryptionKey: bytes(encryptionKey),
    demoKey: Redacted.make(demoKey),
  }
  return held
})

/** What keys and webhook secrets are protected with. */
export class Secrets extends Context.Service<Secrets, Held>()("presage/keys/Secrets") {
  /** Needs the tables. Fails where the database knows other secrets, and then makes none. */
  static readonly layer = Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const config = yield* Configuration
      const postgres = yield* Postgres
      const known = yield* FingerprintStore.find(postgres)
      const given = config.get(presageSecret)

      const own = Effect.gen(function* () {
        const dir = yield* openDirectory(config.get(presageDir))
        const found = dir.file("secrets.json")
        const { pepper } = yield* findSecrets(dir)
        if (pepper === undefined && known !== undefined) return yield* new OtherSecret({ found: `${found} would have` })
        return { held: yield* fromFile(dir), found: `${found} has` }
      })
      const { held, found } = Option.isSome(given)
        ? { held: fromText(given.value), found: "PRESAGE_SECRET says" }
        : yield* own

      const ours = fingerprintOf(held.pepper, held.encryptionKey)
      const agreed = known ?? (yield* FingerprintStore.agree(postgres, ours))
      if (agreed.length !== ours.length || !timingSafeEqual(agreed, ours)) return yield* new OtherSecret({ found })
      return Secrets.of(held)
    }),
  )
}
