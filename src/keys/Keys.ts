import { Context, Effect, Layer, Option, Redacted } from "effect"
import { allowances, type Plan } from "#src/domain/Plan.ts"
import { keys as redisKeys } from "#src/mesh/Keys.ts"
import { Configuration } from "#src/platform/Configuration.ts"
import { Postgres } from "#src/platform/Postgres.ts"
import { Redis } from "#src/platform/Redis.ts"
import type { TxError } from "#src/platform/sqlFailure.ts"
import { digestOfAddress, digestOfKey } from "./digest.ts"
import * as FreeKeyStore from "./FreeKeyStore.ts"
import { generate, shown } from "./format.ts"
import * as KeyStore from "./KeyStore.ts"
import * as model from "./model.ts"
import { Secrets } from "./Secrets.ts"
import { freePerDay } from "./settings.ts"

type Changed = Effect.Effect<model.Account, model.NoSuchAccount | TxError>

/** Accounts and their keys. A change is heard by every process at once, and reaches it within `keys.cache` in any case. */
export class Keys extends Context.Service<
  Keys,
  {
    readonly createAccount: (plan: Plan, name: model.KeyName) => Effect.Effect<model.Account, TxError>
    readonly setPlan: (account: model.AccountId, plan: Plan) => Changed
    /** What is not named stays; `null` is again what the plan grants. */
    readonly setLimits: (
      account: model.AccountId,
      limits: Pick<KeyStore.AccountChange, "standard" | "heavy">,
    ) => Changed
    readonly setActive: (account: model.AccountId, active: boolean) => Changed
    readonly listAccounts: (limit: number) => Effect.Effect<ReadonlyArray<KeyStore.ListedAccount>, TxError>
    /** A new account with its first key, of the same name. */
    readonly open: (plan: Plan, name: model.KeyName) => Effect.Effect<model.IssuedKey, TxError>
    readonly createKey: (
      account: model.AccountId,
      name: model.KeyName,
    ) => Effect.Effect<model.IssuedKey, model.NoSuchAccount | model.TooManyKeys | TxError>
    /** Of one account or of all: first those that work, then the revoked ones, the newest first. */
    readonly listKeys: (
      account: model.AccountId | undefined,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<model.KeyRecord>, model.NoSuchAccount | TxError>
    /** With an account, only a key of that account. One that is revoked already stays so. */
    readonly revoke: (
      id: model.KeyId,
      account?: model.AccountId,
    ) => Effect.Effect<model.KeyRecord, model.NoSuchKey | TxError>
    /** A new key of the same name; the old one is revoked in the same moment. */
    readonly rotate: (
      id: model.KeyId,
      account?: model.AccountId,
    ) => Effect.Effect<model.IssuedKey, model.NoSuchKey | model.KeyRevoked | TxError>
    /** A free account with one key: one per address and UTC day. */
    readonly grantFree: (
      name: model.KeyName,
      address: string,
    ) => Effect.Effect<model.IssuedKey, model.NoFreeKey | TxError>
    /** The key that a new instance shows its user, unless somebody has revoked it. */
    readonly ensureDemo: Effect.Effect<Option.Option<Redacted.Redacted<string>>, TxError>
  }
>()("presage/keys/Keys") {
  static readonly layer = Layer.effect(
    Keys,
    Effect.gen(function* () {
      const config = yield* Configuration
      const { sql, reads, tx } = yield* Postgres
      const redis = yield* Redis
      const { pepper, demoKey } = yield* Secrets
      const channel = redisKeys(redis.prefix).keysChanged

      // Word over Redis makes it quick; that nobody relies on what it knows for long makes it certain.
      const announce = (account: model.AccountId) =>
        Effect.ignore(redis.run((client) => client.publish(channel, account)))

      const issue = (account: model.Account, name: string, key = Redacted.make(generate())) => {
        const text = Redacted.value(key)
        const row = { account: account.id, name, digest: digestOfKey(pepper, text), shown: shown(text) }
        return Effect.map(KeyStore.insertKey(sql, row), (record): model.IssuedKey => ({ key, record, account }))
      }
      const issueFirst = (plan: Plan, name: model.KeyName, key?: Redacted.Redacted<string>) =>
        Effect.flatMap(KeyStore.insertAccount(sql, plan, name), (account) => issue(account, name, key))

      const change = Effect.fnUntraced(function* (id: model.AccountId, wanted: KeyStore.AccountChange) {
        const account = yield* KeyStore.changeAccount(sql, id, wanted)
        if (account === undefined) return yield* new model.NoSuchAccount({ id })
        return yield* Effect.as(announce(id), account)
      })

      const addKey = Effect.fnUntraced(function* (id: model.AccountId, name: model.KeyName) {
        const account = yield* KeyStore.lockAccount(sql, id)
        if (account === undefined) return yield* new model.NoSuchAccount({ id })
        const limit = allowances[account.plan].keys
        if ((yield* KeyStore.countWorking(sql, id)) >= limit) {
          return yield* new model.TooManyKeys({ plan: account.plan, limit })
        }
        return yield* issue(account, name)
      })

      const replace = Effect.fnUntraced(function* (id: model.KeyId, within: model.AccountId | undefined) {
        const old = yield* KeyStore.lockKey(sql, id, within)
        if (old === undefined) return yield* new model.NoSuchKey({ id })
        if (old.revokedAt !== null) return yield* new model.KeyRevoked({ id })
        const account = yield* KeyStore.lockAccount(sql, old.account)
        if (account === undefined) return yield* new model.NoSuchKey({ id })
        yield* KeyStore.revokeKey(sql, id, within)
        return yield* issue(account, old.name)
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
        setActive: (id, active) => change(id, { active }),
        listAccounts: (limit) => KeyStore.accounts(reads, limit),
        open: (plan, name) => tx(issueFirst(plan, name)),
        createKey: (id, name) => tx(addKey(id, name)),
        listKeys: Effect.fnUntraced(function* (account, limit) {
          if (account !== undefined && !(yield* KeyStore.accountExists(reads, account))) {
            return yield* new model.NoSuchAccount({ id: account })
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
