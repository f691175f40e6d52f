import { Redacted, Schema } from "effect"
import type { AccountId, Caller, KeyId } from "#src/domain/Account.ts"
import { allowances, Plan } from "#src/domain/Plan.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { unprintable } from "#src/platform/text/controlCharacters.ts"

const maxNameLength = 100

/** Name of a key or an account. */
export const KeyName = Schema.String.check(
  Schema.makeFilter((name) => /\S/.test(name) && [...name].length <= maxNameLength, {
    message: `a name has 1 to ${maxNameLength} characters, not all of them spaces`,
  }),
  Schema.makeFilter((name) => !unprintable.test(name), { message: "a name has no control or invisible characters" }),
  // A key pasted into the name field must not end up where names are stored and displayed.
  Schema.makeFilter((name) => !/_live_[0-9A-Za-z]{6}/.test(name), { message: "a name must not contain a key" }),
).pipe(Schema.brand("KeyName"))
export type KeyName = typeof KeyName.Type

export const unnamed = KeyName.make("unnamed")

/** A custom limit of one account. */
export const PerMinute = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 1_000_000 }, { message: "a whole number from 1 to 1000000" }),
).pipe(Schema.brand("PerMinute"))
export type PerMinute = typeof PerMinute.Type

/** An account with its plan and custom limits. */
export interface Account {
  readonly id: AccountId
  readonly name: string
  readonly plan: Plan
  readonly active: boolean
  readonly createdAt: Date
  /** Custom requests per minute; `null` uses the plan's. */
  readonly standardPerMinute: number | null
  readonly heavyPerMinute: number | null
}

/** A key without its secret text. */
export interface KeyRecord {
  readonly id: KeyId
  readonly account: AccountId
  readonly name: string
  /** The first 12 and last 4 characters. */
  readonly shown: string
  /** The first key of the rotation chain. */
  readonly lineage: KeyId
  readonly createdAt: Date
  readonly revokedAt: Date | null
  /** At most `usage.flush` behind. */
  readonly lastUsedAt: Date | null
}

/** The account's custom limits, else the plan's. */
export const limitsOf = (account: Account): Pick<Caller, "standardPerMinute" | "heavyPerMinute"> => ({
  standardPerMinute: account.standardPerMinute ?? allowances[account.plan].standardPerMinute,
  heavyPerMinute: account.heavyPerMinute ?? allowances[account.plan].heavyPerMinute,
})

export const callerOf = ({ id, lineage }: Pick<KeyRecord, "id" | "lineage">, account: Account): Caller => ({
  account: account.id,
  key: id,
  lineage,
  plan: account.plan,
  ...limitsOf(account),
})

/** A new key, the only time its text is available. */
export interface IssuedKey {
  readonly key: Redacted.Redacted<string>
  readonly record: KeyRecord
  readonly account: Account
}

/** Body of `POST /v1/keys`, also printed by the command line. The only code that writes out a key. */
export const issuedBody = ({ key, record, account }: IssuedKey) => ({
  id: record.id,
  api_key: Redacted.value(key),
  name: record.name,
  rate_limit_per_minute: limitsOf(account).standardPerMinute,
  message: "Keep this key safe: it is shown only once.",
})

export class NoSuchAccount extends Schema.TaggedError<NoSuchAccount>()("NoSuchAccount", { id: Schema.String }) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return `there is no account ${this.id}`
  }
}

/** Also for another account's key, to reveal nothing about it. */
export class NoSuchKey extends Schema.TaggedError<NoSuchKey>()("NoSuchKey", { id: Schema.String }) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return `there is no key ${this.id}`
  }
}

export class KeyRevoked extends Schema.TaggedError<KeyRevoked>()("KeyRevoked", { id: Schema.String }) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return `key ${this.id} is revoked and cannot be replaced: create a new one`
  }
}

export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", {
  plan: Plan,
  limit: Schema.Int,
}) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    const { plan, limit } = this
    return `the ${plan} plan has ${limit} ${limit === 1 ? "key" : "keys"}, and all are in use: revoke or rotate one`
  }
}

/** No free key today: the address already got one, or the daily total is reached. */
export class NoFreeKey extends Schema.TaggedError<NoFreeKey>()("NoFreeKey", {
  scope: Schema.Literals(["address", "global"]),
  /** The next midnight UTC. */
  retryAt: Schema.Date,
}) {
  override get message() {
    const reason =
      this.scope === "address" ? "One free key per address and day" : "No more free keys are available today"
    return `${reason}. Retry after ${Math.ceil(this.retryAt.getTime() / 1000)}.`
  }
}

/** Only keys of another service can be imported. */
export class CannotImport extends Schema.TaggedError<CannotImport>()("CannotImport", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** The key store does not answer. */
export class KeysUnavailable extends Schema.TaggedError<KeysUnavailable>()("KeysUnavailable", {
  reason: Schema.String,
}) {
  override get message() {
    return `keys cannot be checked now: ${this.reason}`
  }
}
