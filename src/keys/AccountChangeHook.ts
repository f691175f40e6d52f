import { Context, type Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { AccountId } from "#src/domain/Account.ts"

/** Called first in the transaction that activates or deactivates an account, for data that depends on accounts. */
export class AccountChangeHook extends Context.Service<
  AccountChangeHook,
  { readonly beforeChange: (account: AccountId) => Effect.Effect<void, SqlError> }
>()("presage/keys/AccountChangeHook") {}
