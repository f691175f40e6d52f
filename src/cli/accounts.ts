import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/unstable/cli"
import type { AccountId } from "#src/domain/Account.ts"
import { plans } from "#src/domain/Plan.ts"
import { Keys } from "#src/keys/Keys.ts"
import { type Account, limitsOf, type NoSuchAccount, PerMinute } from "#src/keys/model.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { json, set } from "./configured.ts"
import { descriptions } from "./descriptions.ts"
import { asAccountId, asName, KeysCommandRefused, keysFor, limit, name } from "./keyServices.ts"
import { print, printJson, table } from "./print.ts"

const id = Argument.String("account").pipe(Argument.withDescription("Id of an account, from 'presage accounts list'"))

const accountJson = (account: Account) => ({
  id: account.id,
  name: account.name,
  plan: account.plan,
  active: account.active,
  standard_per_minute: account.standardPerMinute,
  heavy_per_minute: account.heavyPerMinute,
  created_at: account.createdAt.toISOString(),
})

const describeAccount = (account: Account): string => {
  const { standardPerMinute, heavyPerMinute } = limitsOf(account)
  const state = account.active ? "active" : "inactive: its keys are refused"
  return (
    `account ${account.id}, named ${JSON.stringify(account.name)}, plan ${account.plan}, ` +
    `${standardPerMinute} requests a minute (${heavyPerMinute} heavy), ${state}`
  )
}

const printAccount = (account: Account, asJson: boolean) =>
  asJson ? printJson(accountJson(account)) : print(describeAccount(account))

interface ChangeFlags {
  readonly id: string
  readonly json: boolean
  readonly set: Readonly<Record<string, string>>
}

const change = Effect.fnUntraced(function* (
  flags: ChangeFlags,
  apply: (keys: Keys["Service"], account: AccountId) => Effect.Effect<Account, NoSuchAccount | TxError>,
) {
  const account = yield* asAccountId(flags.id)
  const changed = Effect.flatMap(Keys, (keys) => apply(keys, account))
  yield* printAccount(yield* Effect.provide(changed, keysFor(flags.set)), flags.json)
})

const create = Command.make(
  "create",
  {
    plan: Flag.Literals("plan", plans).pipe(Flag.withDescription("Plan of the account")),
    name,
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      const name = yield* asName(flags.name)
      const created = Effect.flatMap(Keys, (keys) => keys.createAccount(flags.plan, name))
      yield* printAccount(yield* Effect.provide(created, keysFor(flags.set)), flags.json)
    }),
).pipe(Command.withDescription("Create an account without a key; add keys with 'presage keys create --account'"))

const list = Command.make("list", { limit, json, set }, (flags) =>
  Effect.gen(function* () {
    const accounts = yield* (yield* Keys).listAccounts(flags.limit)
    if (flags.json) return yield* printJson(accounts.map((each) => ({ ...accountJson(each), keys: each.keys })))
    const rows = accounts.map((each) => {
      const { standardPerMinute, heavyPerMinute } = limitsOf(each)
      return [
        each.id,
        each.plan,
        each.active ? "yes" : "no",
        `${standardPerMinute}/${heavyPerMinute}`,
        String(each.keys),
        each.createdAt.toISOString(),
        each.name,
      ]
    })
    yield* print(table(["ACCOUNT", "PLAN", "ACTIVE", "STANDARD/HEAVY", "KEYS", "CREATED", "NAME"], rows))
  }).pipe(Effect.provide(keysFor(flags.set))),
).pipe(Command.withDescription("List accounts, newest first"))

const setPlan = Command.make(
  "set-plan",
  {
    id,
    plan: Argument.Literals("plan", plans).pipe(Argument.withDescription("New plan")),
    json,
    set,
  },
  (flags) => change(flags, (keys, account) => keys.setPlan(account, flags.plan)),
).pipe(Command.withDescription("Change the plan of an account; its keys stay valid"))

const perMinute = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.withSchema(PerMinute), Flag.optional)

const setLimits = Command.make(
  "set-limits",
  {
    id,
    standard: perMinute("standard", "Requests per minute, instead of the limit of the plan"),
    heavy: perMinute("heavy", "Requests per minute to V3 trade histories, which count as heavy"),
    reset: Flag.Boolean("reset").pipe(
      Flag.withDescription("Reset to the limits of the plan, except for those given in the same command"),
      Flag.withDefault(false),
    ),
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      if (!flags.reset && Option.isNone(flags.standard) && Option.isNone(flags.heavy)) {
        return yield* new KeysCommandRefused({ reason: "nothing to change: use --standard, --heavy or --reset" })
      }
      const base = flags.reset ? { standard: null, heavy: null } : {}
      const limits = {
        ...base,
        ...(Option.isSome(flags.standard) && { standard: flags.standard.value }),
        ...(Option.isSome(flags.heavy) && { heavy: flags.heavy.value }),
      }
      yield* change(flags, (keys, account) => keys.setLimits(account, limits))
    }),
).pipe(Command.withDescription("Set rate limits for one account"))

const switchTo = (name: string, active: boolean, description: string) =>
  Command.make(name, { id, json, set }, (flags) =>
    change(flags, (keys, account) => keys.setActive(account, active)),
  ).pipe(Command.withDescription(description))

export const accounts = Command.make("accounts").pipe(
  Command.withDescription(descriptions.accounts),
  Command.withSubcommands([
    create,
    list,
    setPlan,
    setLimits,
    switchTo("deactivate", false, "Refuse every key of an account until it is reactivated"),
    switchTo("activate", true, "Accept the keys of an account again"),
  ]),
)
