import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/unstable/cli"
import type { AccountId } from "#src/domain/Account.ts"
import { planNames, planOf } from "#src/domain/Plan.ts"
import { Keys } from "#src/keys/Keys.ts"
import { type NoSuchAccount, type Account, limitsOf, PerMinute } from "#src/keys/model.ts"
import type { TxError } from "#src/platform/sql/sqlFailure.ts"
import { json, set } from "./configured.ts"
import { asAccountId, asName, KeysCommandRefused, keysFor, limit, name } from "./keyServices.ts"
import { print, printJson, table } from "./print.ts"

const id = Argument.String("account").pipe(Argument.withDescription("Id of the account, as in 'presage accounts list'"))

const plain = (account: Account) => ({
  id: account.id,
  name: account.name,
  plan: account.plan,
  active: account.active,
  standard_per_minute: account.standardPerMinute,
  heavy_per_minute: account.heavyPerMinute,
  created_at: account.createdAt.toISOString(),
})

const say = (account: Account): string => {
  const { standardPerMinute, heavyPerMinute } = limitsOf(account)
  const state = account.active ? "active" : "not active: its keys are refused"
  return (
    `account ${account.id}, named ${JSON.stringify(account.name)}, plan ${account.plan}, ` +
    `${standardPerMinute} requests a minute (${heavyPerMinute} heavy), ${state}`
  )
}

const answer = (account: Account, asJson: boolean) => (asJson ? printJson(plain(account)) : print(say(account)))

interface ChangeFlags {
  readonly id: string
  readonly json: boolean
  readonly set: Readonly<Record<string, string>>
}

const change = Effect.fnUntraced(function* (
  flags: ChangeFlags,
  how: (keys: Keys["Service"], account: AccountId) => Effect.Effect<Account, NoSuchAccount | TxError>,
) {
  const account = yield* asAccountId(flags.id)
  const changed = Effect.flatMap(Keys, (keys) => how(keys, account))
  yield* answer(yield* Effect.provide(changed, keysFor(flags.set)), flags.json)
})

const create = Command.make(
  "create",
  {
    plan: Flag.Literals("plan", planNames).pipe(Flag.withDescription("What it pays for")),
    name,
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      const name = yield* asName(flags.name)
      const created = Effect.flatMap(Keys, (keys) => keys.createAccount(planOf(flags.plan), name))
      yield* answer(yield* Effect.provide(created, keysFor(flags.set)), flags.json)
    }),
).pipe(Command.withDescription("Make an account without a key; 'presage keys create --account' gives it keys"))

const list = Command.make("list", { limit, json, set }, (flags) =>
  Effect.gen(function* () {
    const accounts = yield* (yield* Keys).listAccounts(flags.limit)
    if (flags.json) return yield* printJson(accounts.map((each) => ({ ...plain(each), keys: each.keys })))
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
).pipe(Command.withDescription("Print accounts, the newest first"))

const setPlan = Command.make(
  "set-plan",
  {
    id,
    plan: Argument.Literals("plan", planNames).pipe(Argument.withDescription("What it pays for from now on")),
    json,
    set,
  },
  (flags) => change(flags, (keys, account) => keys.setPlan(account, planOf(flags.plan))),
).pipe(Command.withDescription("Change what an account pays for; its keys stay"))

const perMinute = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.withSchema(PerMinute), Flag.optional)

const setLimits = Command.make(
  "set-limits",
  {
    id,
    standard: perMinute("standard", "Requests a minute, instead of what the plan grants"),
    heavy: perMinute("heavy", "Of these, trade histories of V3"),
    reset: Flag.Boolean("reset").pipe(
      Flag.withDescription("Go back to what the plan grants, except for what is given beside it"),
      Flag.withDefault(false),
    ),
    json,
    set,
  },
  (flags) =>
    Effect.gen(function* () {
      if (!flags.reset && Option.isNone(flags.standard) && Option.isNone(flags.heavy)) {
        return yield* new KeysCommandRefused({ reason: "nothing to change: give --standard, --heavy or --reset" })
      }
      const kept = flags.reset ? { standard: null, heavy: null } : {}
      const limits = {
        ...kept,
        ...(Option.isSome(flags.standard) && { standard: flags.standard.value }),
        ...(Option.isSome(flags.heavy) && { heavy: flags.heavy.value }),
      }
      yield* change(flags, (keys, account) => keys.setLimits(account, limits))
    }),
).pipe(Command.withDescription("Agree on limits for one account"))

const switchTo = (name: string, active: boolean, description: string) =>
  Command.make(name, { id, json, set }, (flags) =>
    change(flags, (keys, account) => keys.setActive(account, active)),
  ).pipe(Command.withDescription(description))

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Make and change accounts"),
  Command.withSubcommands([
    create,
    list,
    setPlan,
    setLimits,
    switchTo("deactivate", false, "Refuse every key of an account until it is activated again"),
    switchTo("activate", true, "Accept the keys of an account again"),
  ]),
)
