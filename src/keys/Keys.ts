import { Context, Effect, Layer, Option, Redacted } from "effect"
import { type AccountId, type KeyId, NoSuchAccount } from "#src/domain/Account.ts"
import { allowances, type Plan } from "#src/domain/Plan.ts"
import { keys as redisKeys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { digestOfAddress, digestOfKey, fingerprintOf } from "#src/secrets/digest.ts"
import * as FingerprintStore from "#src/secrets/FingerprintStore.ts"
import { generate, isLegacy, shown } from "#src/secrets/keyFormat.ts"
import { SecretAbandoned, Secrets } from "#src/secrets/Secrets.ts"
import { touchWebhooksOf } from "#src/webhooks/subscriptions/revision.ts"
import * as FreeKeyStore from "./FreeKeyStore.ts"
import * as KeyStore from "./KeyStore.ts"
import * as model from "./model.ts"
import { freePerDay, legacyPrefix } from "./settings.ts"

interface Issue {
  readonly key: Redacted.Redacted<string>
  readonly replaces: model.KeyRecord
}

type Changed = Effect.Effect<model.Account, NoSuchAccount | TxError>

/** Accounts and their keys. A change is heard by every process at once, and reaches it within `keys.cache` in any case. */
export class Keys extends Context.Service<
  Keys,
  {
    readonly createAccount: (plan: Plan, name: model.KeyName) => Effect.Effect<model.Account, TxError>
    readonly setPlan: (account: AccountId, plan: Plan) => Changed
    /** What is not named stays; `null` is again what the plan grants. */
    readonly setLimits: (account: AccountId, limits: Pick<KeyStore.AccountChange, "standard" | "heavy">) => Changed
    readonly setActive: (account: AccountId, active: boolean) => Changed
    readonly listAccounts: (limit: number) => Effect.Effect<ReadonlyArray<KeyStore.ListedAccount>, TxError>
    /** A new account with its first key, of the same name. */
    readonly open: (plan: Plan, name: model.KeyName) => Effect.Effect<model.IssuedKey, SecretAbandoned | TxError>
    readonly createKey: (
      account: AccountId,
      name: model.KeyName,
    ) => Effect.Effect<model.IssuedKey, NoSuchAccount | model.TooManyKeys | SecretAbandoned | TxError>
    /** Takes over a key that another service gave out; the account's owner goes on using it. */
    readonly importKey: (
      account: AccountId,
      name: model.KeyName,
      key: Redacted.Redacted<string>,
    ) => Effect.Effect<
      model.KeyRecord,
      NoSuchAccount | model.TooManyKeys | model.CannotImport | SecretAbandoned | TxError
    >
    /** Of one account or of all: first those that work, then the revoked ones, the newest first. */
    readonly listKeys: (
      account: AccountId | undefined,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<model.KeyRecord>, NoSuchAccount | TxError>
    /** With an account, only a key of that account. One that is revoked already stays so. */
    readonly revoke: (id: KeyId, account?: AccountId) => Effect.Effect<model.KeyRecord, model.NoSuchKey | TxError>
    /** A new key of the same name; the old one is revoked in the same moment. */
    readonly rotate: (
      id: KeyId,
      account?: AccountId,
    ) => Effect.Effect<model.IssuedKey, model.NoSuchKey | model.KeyRevoked | SecretAbandoned | TxError>
    /** A free account with one key: one per address and UTC day. */
    readonly grantFree: (
      name: model.KeyName,
      address: string,
    ) => Effect.Effect<model.IssuedKey, model.NoFreeKey | SecretAbandoned | TxError>
    /** The key that a new instance shows its user, unless somebody has revoked it. */
    readonly ensureDemo: Effect.Effect<Option.Option<Redacted.Redacted<string>>, SecretAbandoned | TxError>
  }
>()("presage/keys/Keys") {
  static readonly layer = Layer.effect(
    Keys,
    Effect.gen(function* () {
      const config = yield* Configuration
      const { sql, reads, tx } = yield* Postgres
      const redis = yield* Redis
      const { pepper, encryptionKey, demoKey } = yield* Secrets
      const fingerprint = fingerprintOf(pepper, encryptionKey)
      const channel = redisKeys(redis.prefix).keysChanged

      // Word over Redis makes it quick; that nobody relies on what it knows for long makes it certain.
      const announce = (account: AccountId) => Effect.ignore(redis.run((client) => client.publish(channel, account)))

      const store = (
        account: model.Account,
        name: string,
        key: Redacted.Redacted<string>,
        replaces: model.KeyRecord | undefined,
      ) =>
        Effect.gen(function* () {
          const text = Redacted.value(key)
          const digest = digestOfKey(pepper, text)
          if (!(yield* FingerprintStore.isOurs(sql, fingerprint))) return yield* new SecretAbandoned()
          return yield* KeyStore.insertKey(sql, { account: account.id, name, digest, shown: shown(text), replaces })
        })
      const issue = Effect.fnUntraced(function* (
        account: model.Account,
        name: string,
        { key = Redacted.make(generate()), replaces }: Partial<Issue> = {},
      ) {
        const record = yield* store(account, name, key, replaces)
        if (record === undefined) return yield* Effect.die(new Error("a new key was there already"))
        return { key, record, account } satisfies model.IssuedKey
      })
      const issueFirst = (plan: Plan, name: model.KeyName, key?: Redacted.Redacted<string>) =>
        Effect.flatMap(KeyStore.insertAccount(sql, plan, name), (account) =>
          issue(account, name, key === undefined ? {} : { key }),
        )

      const changed = Effect.fnUntraced(function* (id: AccountId, wanted: KeyStore.AccountChange) {
        const account = yield* KeyStore.changeAccount(sql, id, wanted)
        if (account === undefined) return yield* new NoSuchAccount({ id })
        return account
      })
      const change = (id: AccountId, wanted: KeyStore.AccountChange) =>
        Effect.tap(changed(id, wanted), () => announce(id))

      /** The account, while nobody else can add a key to it, if it may have another one. */
      const withRoom = Effect.fnUntraced(function* (id: AccountId) {
        const account = yield* KeyStore.lockAccount(sql, id)
        if (account === undefined) return yield* new NoSuchAccount({ id })
        const limit = allowances[account.plan].keys
        if ((yield* KeyStore.countWorking(sql, id)) >= limit) {
          return yield* new model.TooManyKeys({ plan: account.plan, limit })
        }
        return account
      })
      const addKey = (id: AccountId, name: model.KeyName) =>
        Effect.flatMap(withRoom(id), (account) => issue(account, name))

      const takeOver = Effect.fnUntraced(function* (
        id: AccountId,
        name: model.KeyName,
        key: Redacted.Redacted<string>,
      ) {
        const start = config.get(legacyPrefix)
        if (!isLegacy(Redacted.value(key), start)) {
          const wants =
            start === "" ? "set keys.legacy-prefix first" : `a key is ${start} and 16 to 64 letters and digits`
          return yield* new model.CannotImport({ reason: `this cannot be taken over: ${wants}` })
        }
        const account = yield* withRoom(id)
        const record = yield* store(account, name, key, undefined)
        if (record === undefined) return yield* new model.CannotImport({ reason: "this key is there already" })
        return record
      })

      const replace = Effect.fnUntraced(function* (id: KeyId, within: AccountId | undefined) {
        const old = yield* KeyStore.lockKey(sql, id, within)
        if (old === undefined) return yield* new model.NoSuchKey({ id })
        if (old.revokedAt !== null) return yield* new model.KeyRevoked({ id })
        const account = yield* KeyStore.lockAccount(sql, old.account)
        if (account === undefined) return yield* new model.NoSuchKey({ id })
        yield* KeyStore.revokeKey(sql, id, within)
        return yield* issue(account, old.name, { replaces: old })
      })

      const giveFree = Effect.fnUntraced(function* (name: model.KeyName, address: string) {
        const refuse = (why: model.NoFreeKey["why"]) =>
          Effect.flatMap(FreeKeyStore.nextDay(sql), (again) => Effect.fail(new model.NoFreeKey({ why, again })))
        if (!(yield* FreeKeyStore.claim(sql, digestOfAddress(pepper, address)))) return yield* refuse("address")
        if ((yield* FreeKeyStore.countToday(sql)) > config.get(freePerDay)) return yield* refuse("everybody")
        return yield* issueFirst("free", name)
      })

      const findOrMakeDemo = Effect.gen(function* () {
        yield* KeyStore.waitForDemoTurn(sql)
        const found = yield* KeyStore.findByDigest(sql, digestOfKey(pepper, Redacted.value(demoKey)))
        if (found !== undefined) return { works: !found.revoked && found.account.active, made: undefined }
        return { works: true, made: yield* issueFirst("growth", model.KeyName.make("demo"), demoKey) }
      })

      return Keys.of({
        createAccount: (plan, name) => KeyStore.insertAccount(sql, plan, name),
        setPlan: (id, plan) => change(id, { plan }),
        setLimits: (id, { standard, heavy }) =>
          change(id, { ...(standard !== undefined && { standard }), ...(heavy !== undefined && { heavy }) }),
        setActive: (id, active) =>
          Effect.tap(tx(Effect.andThen(touchWebhooksOf(sql, id), changed(id, { active }))), () => announce(id)),
        listAccounts: (limit) => KeyStore.accounts(reads, limit),
        open: (plan, name) => tx(issueFirst(plan, name)),
        createKey: (id, name) => tx(addKey(id, name)),
        importKey: (id, name, key) => Effect.tap(tx(takeOver(id, name, key)), ({ account }) => announce(account)),
        listKeys: Effect.fnUntraced(function* (account, limit) {
          if (account !== undefined && !(yield* KeyStore.accountExists(reads, account))) {
            return yield* new NoSuchAccount({ id: account })
          }
          return yield* KeyStore.keys(reads, account, limit)
        }),
        revoke: Effect.fnUntraced(function* (id, within) {
          const record = yield* KeyStore.revokeKey(sql, id, within)
          if (record === undefined) return yield* new model.NoSuchKey({ id })
          return yield* Effect.as(announce(record.account), record)
        }),
        rotate: (id, within) => Effect.tap(tx(replace(id, within)), ({ account }) => announce(account.id)),
        grantFree: (name, address) => tx(giveFree(name, address)),
        ensureDemo: Effect.gen(function* () {
          const { works, made } = yield* tx(findOrMakeDemo)
          // Somebody may have tried it before it was there.
          if (made !== undefined) yield* announce(made.account.id)
          return works ? Option.some(demoKey) : Option.none()
        }),
      })
    }),
  )
}
