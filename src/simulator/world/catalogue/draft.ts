import type { EventPlan, Millis } from "../model.ts"

/** An event to be, before the work of planning it in full. */
export interface Draft {
  readonly createdAt: Millis
  /** An event planned before history began belongs to it only if this moment comes after its beginning. */
  readonly worthUntil: Millis
  readonly make: (createdAt: Millis) => EventPlan
}

/** A kind of events; what it creates on a UTC day depends on that day alone. */
export interface Source {
  /** How many days before history began may matter to it. */
  readonly lookback: number
  /** `date` counts days since 1970; every draft is created on that day. */
  readonly draftsOf: (date: number) => ReadonlyArray<Draft>
}
