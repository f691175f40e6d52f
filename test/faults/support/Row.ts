import type { Effect, Scope } from "effect"
import type { Dice } from "#src/simulator/random.ts"
import type { Judge } from "./judge.ts"
import type { Service, Services } from "./service.ts"

/** What a fault is done to, and who judges it. */
export type Judged<S> = S & { readonly judge: Judge; readonly dice: Dice }
export type Scene = Judged<Service>

/** A fault of a running service. When it returns, the fault is over, or done if it is not one that lasts. */
export interface Row<S = Service> {
  readonly name: string
  /** Seconds until everything is as before, which the documents promise. */
  readonly within: number
  readonly fault: (scene: Judged<S>) => Effect.Effect<void, unknown, Scope.Scope | Services>
  /** Puts back what the fault has taken, such as a process that others have replaced. */
  readonly afterwards?: (scene: Judged<S>) => Effect.Effect<void, unknown, Scope.Scope | Services>
  /** The seed makes no difference, so the first one is enough. */
  readonly isOnce?: boolean
  /** The process that answers is the one that fails. */
  readonly silencesApi?: boolean
  /** `/readyz` must name this dependency in time (5 s) while the fault lasts, and must not name the innocent one. */
  readonly tells?: { readonly guilty: string; readonly innocent?: string; readonly withinSeconds?: number }
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
