/** The process side of `Subject.ts`: no Effect here, so that a rival loads nothing it would not have by itself. */
export interface Question {
  readonly id: number
  readonly verb: string
  readonly args: ReadonlyArray<unknown>
}
export type Answer = { readonly id: number; readonly value?: unknown; readonly error?: string }
/** Said once, when questions may come. */
export const readyId = 0

/** Does what the bench asks, one question at a time, and ends with it. */
export const answerAs = <V extends object>(verbs: V) => {
  const send = (answer: Answer) => void process.send?.(answer)
  process.on("message", async ({ id, verb, args }: Question) => {
    try {
      const act = Reflect.get(verbs, verb) as (...args: ReadonlyArray<unknown>) => unknown
      send({ id, value: await act(...args) })
    } catch (error) {
      send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  process.on("disconnect", () => process.exit())
  send({ id: readyId })
}
