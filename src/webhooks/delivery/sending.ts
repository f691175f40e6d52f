import { Layer } from "effect"
import { SecretBox } from "../subscriptions/SecretBox.ts"
import { Resolver } from "./Resolver.ts"
import { Sender } from "./Sender.ts"
import { Targets } from "./Targets.ts"

/** What it takes to send: where it may go, how it is signed, and the sender itself. */
export const sending = Sender.layer.pipe(
  Layer.provideMerge(Targets.layer),
  Layer.provide(Resolver.layer),
  Layer.merge(SecretBox.layer),
)
