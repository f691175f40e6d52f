import { Effect, Layer } from "effect"
import { AccountChangeHook } from "#src/keys/AccountChangeHook.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { touchWebhooksOf } from "./revision.ts"

/** Makes pollers read an account's webhooks again when the account is activated or deactivated. */
export const webhookAccountChanges = Layer.effect(
  AccountChangeHook,
  Effect.map(Postgres, ({ sql }) => AccountChangeHook.of({ beforeChange: (account) => touchWebhooksOf(sql, account) })),
)
