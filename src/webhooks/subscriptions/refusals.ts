import { Schema } from "effect"
import { Plan } from "#src/domain/Plan.ts"

/** Also for a webhook of somebody else: whether it exists is not the asker's business. */
export class NoSuchWebhook extends Schema.TaggedError<NoSuchWebhook>()("NoSuchWebhook", { id: Schema.String }) {
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
      : `the ${plan} plan has ${limit} webhooks, and all are in use: delete one`
  }
}

/** The key of an earlier request came with another one. */
export class RequestKeyReused extends Schema.TaggedError<RequestKeyReused>()("RequestKeyReused", {}) {
  override get message() {
    return "this Idempotency-Key came with another request before: use a new key for a new request"
  }
}

/** A preview reads much, in a process that others wait for. */
export class PreviewBusy extends Schema.TaggedError<PreviewBusy>()("PreviewBusy", {
  whose: Schema.Literals(["account", "server"]),
}) {
  override get message() {
    return this.whose === "account"
      ? "a preview of this account is under way: one is made at a time"
      : "other previews are under way on this server"
  }
}

/** It cannot be signed for. */
export class SecretLost extends Schema.TaggedError<SecretLost>()("SecretLost", {}) {
  override get message() {
    return "the webhook's secret was lost with those of the whole service: replace it first"
  }
}
