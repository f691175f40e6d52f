import { Schema } from "effect"

/** The simulated venue never shares an event loop with the service. */
export class SimulatorAlone extends Schema.TaggedError<SimulatorAlone>()("SimulatorAlone", {}) {
  override get message() {
    return "the simulator has a process of its own: start it with ROLE=simulator and no other role"
  }
}
