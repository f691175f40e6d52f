import { type Redacted, Schema } from "effect"
import type { AccountId, Caller, KeyId } from "#src/domain/Account.ts"
import { allowances, Plan } from "#src/domain/Plan.ts"
import { unprintable } from "#src/platform/text/unprintable.ts"

const longestName = 100

/** What a key or an account is called. */
export const KeyName = Schema.String.check(
  Schema.makeFilter((name) => /\S/.test(name) && [...name].length <= longestName, {
    message: `a name has 1 to ${longestName} characters, not all of them spaces`,
  }),
  Schema.makeFilter((name) => !unprintable.test(name), { message: "a name has no control or invisible characters" }),
  // Whoever takes one field for the other must not leave the key where names are shown and stored.
  Schema.makeFilter((name) => !/_live_[0-9A-Za-z]{6}/.test(name), { message: "a name must not contain a key" }),
).pipe(Schema.brand("KeyName"))
export type KeyName = typeof KeyName.Type

export const unnamed = KeyName.make("unnamed")

/** A limit agreed for one account. */
export const PerMinute = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 1_000_000 }, { message: "a whole number from 1 to 1000000" }),
).pipe(Schema.brand("PerMinute"))
export type PerMinute = typeof PerMinute.Type

/** Who pays, and what was agreed beside the plan. */
export interface Account {
  readonly id: AccountId
  readonly name: string
  readonly plan: Plan
  readonly active: boolean
  readonly createdAt: Date
  /** Requests a minute agreed for this account alone; `null` is what the plan grants. */
  readonly standardPerMinute: number | null
  readonly heavyPerMinute: number | null
}

/** A key as it may be shown: never the key itself. */
export interface KeyRecord {
  readonly id: KeyId
  readonly account: AccountId
  readonly name: string
  /** Its first 12 and last 4 characters. */
  readonly shown: string
  /** The first of the keys that replaced each other. */
  readonly lineage: KeyId
  readonly createdAt: Date
  readonly revokedAt: Date | null
}

/** What was agreed, and otherwise what the plan grants. */
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

/** A new key, for the only time that it can be seen. */
export interface IssuedKey {
  readonly key: Redacted.Redacted<string>
  readonly record: KeyRecord
  readonly account: Account
}

/** Also for a key of somebody else: whether it exists is not the asker's business. */
export class NoSuchKey extends Schema.TaggedError<NoSuchKey>()("NoSuchKey", { id: Schema.String }) {
  override get message() {
    return `there is no key ${this.id}`
  }
}

export class KeyRevoked extends Schema.TaggedError<KeyRevoked>()("KeyRevoked", { id: Schema.String }) {
  override get message() {
    return `key ${this.id} is revoked and cannot be replaced: create a new one`
  }
}

export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", {
  plan: Plan,
  limit: Schema.Int,
}) {
  override get message() {
    const { plan, limit } = this
    return `the ${plan} plan has ${limit} ${limit === 1 ? "key" : "keys"}, and all are in use: revoke or rotate one`
  }
}

/** No free key now: this address has had its one, or all addresses together had theirs. */
export class NoFreeKey extends Schema.TaggedError<NoFreeKey>()("NoFreeKey", {
  why: Schema.Literals(["address", "everybody"]),
  /** The next midnight UTC. */
  again: Schema.Date,
}) {
  override get message() {
    const reason = this.why === "address" ? "one free key per address and day" : "no more free keys are given out today"
    return `${reason}: the next can be had from ${this.again.toISOString()}`
  }
}

/** Only keys from elsewhere are taken over; ours are made here. */
export class CannotImport extends Schema.TaggedError<CannotImport>()("CannotImport", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** Whether a key is good cannot be found out now. */
export class KeysAway extends Schema.TaggedError<KeysAway>()("KeysAway", { reason: Schema.String }) {
  override get message() {
    return `keys cannot be checked now: ${this.reason}`
  }
}
