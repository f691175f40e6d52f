import { Schema } from "effect"

/** The simulated venue always has a process of its own; there is none in this version. */
export class NoSimulator extends Schema.TaggedError<NoSimulator>()("NoSimulator", {}) {
  override get message() {
    return "this version has no simulated venue yet: leave `simulator` out of ROLE"
  }
}
