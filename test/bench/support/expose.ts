/** The child-process side of `Subject.ts`. Without Effect, so that a rival loads only its own dependencies. */
export interface Call {
  readonly id: number
  readonly method: string
  readonly args: ReadonlyArray<unknown>
}
export type Reply = { readonly id: number; readonly value?: unknown; readonly error?: string }
/** Id of the message that reports the process as ready. */
export const readyId = 0

/** Runs the methods that the bench calls, and exits when the bench disconnects. */
export const expose = <V extends object>(methods: V) => {
  const send = (reply: Reply) => void process.send?.(reply)
  process.on("message", async ({ id, method, args }: Call) => {
    try {
      const handler = Reflect.get(methods, method) as (...args: ReadonlyArray<unknown>) => unknown
      send({ id, value: await handler(...args) })
    } catch (error) {
      send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  process.on("disconnect", () => process.exit())
  send({ id: readyId })
}
