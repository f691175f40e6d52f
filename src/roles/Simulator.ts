import { Effect, Layer, Schema } from "effect"

export class NoSimulator extends Schema.TaggedError<NoSimulator>()("NoSimulator", {}) {
  override get message() {
    return "this version has no simulated venue yet: leave `simulator` out of ROLE"
  }
}

/** The simulated venue always has a process of its own. */
export const simulator = Layer.effectDiscard(Effect.fail(new NoSimulator()))
