import { Context, type Effect, Schema } from "effect"

/** Webhooks must not go there. */
export class TargetRefused extends Schema.TaggedError<TargetRefused>()("TargetRefused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** Where webhooks may go: public hosts over https, and nothing inside the operator's own network. */
export class Targets extends Context.Service<
  Targets,
  {
    /**
     * Refuses what can never be a target, and a name that now leads to an address that is not public. A name that leads
     * nowhere is let through: it is looked up again at each attempt. The answer is the URL in its one spelling.
     */
    readonly check: (url: string) => Effect.Effect<string, TargetRefused>
  }
>()("presage/webhooks/Targets") {}
