import { useCallback, useState } from "preact/hooks"
import { Failure } from "./request.ts"

/** Runs what a button does, one at a time, and keeps why it failed. */
export const useAction = () => {
  const [failure, setFailure] = useState<Failure>()
  const [isBusy, setBusy] = useState(false)
  const run = useCallback(async (action: () => Promise<void>) => {
    setBusy(true)
    setFailure(undefined)
    try {
      await action()
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure(0, String(error)))
    } finally {
      setBusy(false)
    }
  }, [])
  return { failure, isBusy, run }
}
