import { Context, Effect, Layer, Option, Redacted } from "effect"
import type { AccountId, KeyId } from "#src/domain/Account.ts"
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
import { AccountChangeHook } from "./AccountChangeHook.ts"
import * as FreeKeyStore from "./FreeKeyStore.ts"
import * as KeyStore from "./KeyStore.ts"
import * as model from "./model.ts"
import { freePerDay, legacyPrefix } from "./settings.ts"

interface IssueOptions {
  readonly key: Redacted.Redacted<string>
  readonly replaces: model.KeyRecord
}

type ChangedAccount = Effect.Effect<model.Account, model.NoSuchAccount | TxError>

/** Accounts and their keys. Changes reach every process at once over Redis, or within `keys.cache` if that fails. */
export class Keys extends Context.Service<
  Keys,
  {
    readonly createAccount: (plan: Plan, name: model.KeyName) => Effect.Effect<model.Account, TxError>
    readonly setPlan: (account: AccountId, plan: Plan) => ChangedAccount
    /** Omitted limits stay; `null` restores the plan's. */
    readonly setLimits: (
      account: AccountId,
      limits: Pick<KeyStore.AccountUpdate, "standard" | "heavy">,
    ) => ChangedAccount
    readonly setActive: (account: AccountId, active: boolean) => ChangedAccount
    /** Several of these at once, or none. */
    readonly update: (account: AccountId, update: KeyStore.AccountUpdate) => ChangedAccount
    readonly listAccounts: (limit: number) => Effect.Effect<ReadonlyArray<KeyStore.ListedAccount>, TxError>
    /** Creates an account and its first key with the same name. */
    readonly open: (plan: Plan, name: model.KeyName) => Effect.Effect<model.IssuedKey, SecretAbandoned | TxError>
    readonly createKey: (
      account: AccountId,
      name: model.KeyName,
    ) => Effect.Effect<model.IssuedKey, model.NoSuchAccount | model.TooManyKeys | SecretAbandoned | TxError>
    /** Imports a key of another service, which the account's owner keeps using. */
    readonly importKey: (
      account: AccountId,
      name: model.KeyName,
      key: Redacted.Redacted<string>,
    ) => Effect.Effect<
      model.KeyRecord,
      model.NoSuchAccount | model.TooManyKeys | model.CannotImport | SecretAbandoned | TxError
    >
    /** Of one account or all: active keys first, then revoked ones, newest first. */
    readonly listKeys: (
      account: AccountId | undefined,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<model.KeyRecord>, model.NoSuchAccount | TxError>
    /** With an account, only a key of that account. Revoking a revoked key changes nothing. */
    readonly revoke: (id: KeyId, account?: AccountId) => Effect.Effect<model.KeyRecord, model.NoSuchKey | TxError>
    readonly rename: (
      id: KeyId,
      account: AccountId,
      name: model.KeyName,
    ) => Effect.Effect<model.KeyRecord, model.NoSuchKey | TxError>
    /** Creates a key of the same name and revokes the old one in the same transaction. */
    readonly rotate: (
      id: KeyId,
      account?: AccountId,
    ) => Effect.Effect<model.IssuedKey, model.NoSuchKey | model.KeyRevoked | SecretAbandoned | TxError>
    /** A free account with one key: one per address and UTC day. */
    readonly grantFree: (
      name: model.KeyName,
      address: string,
    ) => Effect.Effect<model.IssuedKey, model.NoFreeKey | SecretAbandoned | TxError>
    /** The demo key of a new instance; none if it was revoked. */
    readonly ensureDemo: Effect.Effect<Option.Option<Redacted.Redacted<string>>, SecretAbandoned | TxError>
  }
>()("presage/keys/Keys") {
  static readonly layer = Layer.effect(
    Keys,
    Effect.gen(function* () {
      const config = yield* Configuration
      const hook = yield* AccountChangeHook
      const { sql, reads, tx } = yield* Postgres
      const redis = yield* Redis
      const { pepper, encryptionKey, demoKey } = yield* Secrets
      const fingerprint = fingerprintOf(pepper, encryptionKey)
      const channel = redisKeys(redis.prefix).keysChanged

      // Best effort: every cached result also expires after `keys.cache`.
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
        { key = Redacted.make(generate()), replaces }: Partial<IssueOptions> = {},
      ) {
        const record = yield* store(account, name, key, replaces)
        if (record === undefined) return yield* Effect.die(new Error("a new key already exists"))
        return { key, record, account } satisfies model.IssuedKey
      })
      const issueFirst = (plan: Plan, name: model.KeyName, key?: Redacted.Redacted<string>) =>
        Effect.flatMap(KeyStore.insertAccount(sql, plan, name), (account) =>
          issue(account, name, key === undefined ? {} : { key }),
        )

      const changed = Effect.fnUntraced(function* (id: AccountId, update: KeyStore.AccountUpdate) {
        const account = yield* KeyStore.changeAccount(sql, id, update)
        if (account === undefined) return yield* new model.NoSuchAccount({ id })
        return account
      })
      const change = (id: AccountId, update: KeyStore.AccountUpdate) =>
        Effect.tap(changed(id, update), () => announce(id))
      const activate = (id: AccountId, update: KeyStore.AccountUpdate) =>
        Effect.tap(tx(Effect.andThen(hook.beforeChange(id), changed(id, update))), () => announce(id))

      /** Locks the account and checks that it may have another key. */
      const lockForNewKey = Effect.fnUntraced(function* (id: AccountId) {
        const account = yield* KeyStore.lockAccount(sql, id)
        if (account === undefined) return yield* new model.NoSuchAccount({ id })
        const limit = allowances[account.plan].keys
        if ((yield* KeyStore.countActive(sql, id)) >= limit) {
          return yield* new model.TooManyKeys({ plan: account.plan, limit })
        }
        return account
      })
      const addKey = (id: AccountId, name: model.KeyName) =>
        Effect.flatMap(lockForNewKey(id), (account) => issue(account, name))

      const importInto = Effect.fnUntraced(function* (
        id: AccountId,
        name: model.KeyName,
        key: Redacted.Redacted<string>,
      ) {
        const prefix = config.get(legacyPrefix)
        if (!isLegacy(Redacted.value(key), prefix)) {
          const problem =
            prefix === "" ? "set keys.legacy-prefix first" : `a key is ${prefix} and 16 to 64 letters and digits`
          return yield* new model.CannotImport({ reason: `this key cannot be imported: ${problem}` })
        }
        const account = yield* lockForNewKey(id)
        const record = yield* store(account, name, key, undefined)
        if (record === undefined) return yield* new model.CannotImport({ reason: "this key already exists" })
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

      const issueFree = Effect.fnUntraced(function* (name: model.KeyName, address: string) {
        const refuse = (scope: model.NoFreeKey["scope"]) =>
          Effect.flatMap(FreeKeyStore.nextDay(sql), (retryAt) => Effect.fail(new model.NoFreeKey({ scope, retryAt })))
        if (!(yield* FreeKeyStore.claim(sql, digestOfAddress(pepper, address)))) return yield* refuse("address")
        if ((yield* FreeKeyStore.countToday(sql)) > config.get(freePerDay)) return yield* refuse("global")
        return yield* issueFirst("free", name)
      })

      const findOrCreateDemo = Effect.gen(function* () {
        yield* KeyStore.lockDemo(sql)
        const found = yield* KeyStore.findByDigest(sql, digestOfKey(pepper, Redacted.value(demoKey)))
        if (found !== undefined) return { isActive: !found.revoked && found.account.active, created: undefined }
        return { isActive: true, created: yield* issueFirst("growth", model.KeyName.make("demo"), demoKey) }
      })

      return Keys.of({
        createAccount: Effect.fn("Keys.createAccount")((plan, name) => KeyStore.insertAccount(sql, plan, name)),
        setPlan: Effect.fn("Keys.setPlan")((id, plan) => change(id, { plan })),
        setLimits: Effect.fn("Keys.setLimits")((id, { standard, heavy }) =>
          change(id, { ...(standard !== undefined && { standard }), ...(heavy !== undefined && { heavy }) }),
        ),
        setActive: Effect.fn("Keys.setActive")((id, active) => activate(id, { active })),
        update: Effect.fn("Keys.update")((id, update) =>
          update.active === undefined ? change(id, update) : activate(id, update),
        ),
        listAccounts: Effect.fn("Keys.listAccounts")((limit) => KeyStore.accounts(reads, limit)),
        open: Effect.fn("Keys.open")((plan, name) => tx(issueFirst(plan, name))),
        createKey: Effect.fn("Keys.createKey")((id, name) => tx(addKey(id, name))),
        importKey: Effect.fn("Keys.importKey")((id, name, key) =>
          Effect.tap(tx(importInto(id, name, key)), ({ account }) => announce(account)),
        ),
        listKeys: Effect.fn("Keys.listKeys")(function* (account, limit) {
          if (account !== undefined && !(yield* KeyStore.accountExists(reads, account))) {
            return yield* new model.NoSuchAccount({ id: account })
          }
          return yield* KeyStore.keys(reads, account, limit)
        }),
        revoke: Effect.fn("Keys.revoke")(function* (id, within) {
          const record = yield* KeyStore.revokeKey(sql, id, within)
          if (record === undefined) return yield* new model.NoSuchKey({ id })
          return yield* Effect.as(announce(record.account), record)
        }),
        rename: Effect.fn("Keys.rename")(function* (id, account, name) {
          return (yield* KeyStore.renameKey(sql, id, account, name)) ?? (yield* new model.NoSuchKey({ id }))
        }),
        rotate: Effect.fn("Keys.rotate")((id, within) =>
          Effect.tap(tx(replace(id, within)), ({ account }) => announce(account.id)),
        ),
        grantFree: Effect.fn("Keys.grantFree")((name, address) => tx(issueFree(name, address))),
        ensureDemo: Effect.withSpan(
          Effect.gen(function* () {
            const { isActive, created } = yield* tx(findOrCreateDemo)
            // Another process may have cached the key as unknown.
            if (created !== undefined) yield* announce(created.account.id)
            return isActive ? Option.some(demoKey) : Option.none()
          }),
          "Keys.ensureDemo",
        ),
      })
    }),
  )
}
