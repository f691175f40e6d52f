/** Reports of the entry scripts to the test, one JSON line each. */
interface Facts {
  readonly ready: { readonly pid: number }
  /** A run of a job; `end` reports whether its row was new. */
  readonly begin: { readonly id: number; readonly attempt: number }
  readonly end: { readonly id: number; readonly inserted: boolean }
  readonly interrupted: { readonly id: number }
  readonly owed: { readonly id: number }
  readonly tick: { readonly duty: string }
  readonly health: { readonly status: string; readonly down: ReadonlyArray<string> }
  readonly actor: {
    readonly actor: string
    readonly epoch: number
    /** `refused` is LeaseLost, `failed` any other error, `ended` an interruption. */
    readonly event: "started" | "wrote" | "refused" | "failed" | "ended"
  }
  readonly answers: { readonly pids: ReadonlyArray<number> }
}

export type Kind = keyof Facts
export type Report<K extends Kind = Kind> = { [E in K]: { readonly kind: E; readonly at: number } & Facts[E] }[K]

/** stdout is a pipe, to which Node writes synchronously: reports survive SIGKILL. */
export const report = <K extends Kind>(kind: K, facts: Facts[K]) => {
  process.stdout.write(`${JSON.stringify({ kind, at: Date.now(), ...facts })}\n`)
}
