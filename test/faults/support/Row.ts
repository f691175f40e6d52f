import type { Effect, Scope } from "effect"
import type { Dice } from "#src/simulator/random.ts"
import type { Judge } from "./judge.ts"
import type { Service, Services } from "./service.ts"

/** What a fault is done to. */
export interface Scene extends Service {
  readonly judge: Judge
  readonly dice: Dice
}

/** A fault of a running service. When it returns, the fault is over, or done if it is not one that lasts. */
export interface Row {
  readonly name: string
  /** Seconds until everything is as before, which the documents promise. */
  readonly within: number
  readonly fault: (scene: Scene) => Effect.Effect<void, unknown, Scope.Scope | Services>
  /** Puts back what the fault has taken, such as a process that others have replaced. */
  readonly afterwards?: (scene: Scene) => Effect.Effect<void, unknown, Scope.Scope | Services>
  /** The process that answers is the one that fails. */
  readonly silencesApi?: boolean
  /** `/readyz` must name this dependency while the fault lasts, and must not name the innocent one. */
  readonly tells?: { readonly guilty: string; readonly innocent?: string }
  /** Deliveries that may be repeated: those in flight when a worker or its database died. */
  readonly mayRepeat?: number
}

/** Figures of a fault with one seed. */
export interface Outcome {
  readonly row: string
  readonly seed: number
  readonly promised: number
  /** Seconds; undefined if it never came back. */
  readonly back?: number
  readonly answers: string
  readonly lost: number
  readonly twice: number
  /** Everything that is not as it should be, in words. */
  readonly wrong: ReadonlyArray<string>
  readonly repeated: number
}
