import { Schema } from "effect"
import { Plan } from "#src/domain/Plan.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"

/** Also for another account's webhook, whose existence must not leak. */
export class NoSuchWebhook extends Schema.TaggedError<NoSuchWebhook>()("NoSuchWebhook", { id: Schema.String }) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return `there is no webhook ${this.id}`
  }
}

export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", {
  plan: Plan,
  limit: Schema.Int,
}) {
  override get message() {
    const { plan, limit } = this
    return limit === 0
      ? `the ${plan} plan has no webhooks`
      : `the ${plan} plan has ${limit} webhooks and all are in use: delete one`
  }
}

/** The idempotency key was used for another request. */
export class RequestKeyReused extends Schema.TaggedError<RequestKeyReused>()("RequestKeyReused", {}) {
  override get message() {
    return "this Idempotency-Key was used for another request: use a new key for a new request"
  }
}

/** Previews are expensive, so few run at a time. */
export class PreviewBusy extends Schema.TaggedError<PreviewBusy>()("PreviewBusy", {
  whose: Schema.Literals(["account", "server"]),
}) {
  override get message() {
    return this.whose === "account"
      ? "a preview of this account is already running: only one runs at a time"
      : "this server is busy with other previews"
  }
}

/** Deliveries cannot be signed. */
export class SecretLost extends Schema.TaggedError<SecretLost>()("SecretLost", {}) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return "the webhook's secret was lost with all secrets of the service: replace it first"
  }
}
