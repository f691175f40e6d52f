import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { key } from "./key.ts"
import { Failure, type RequestOptions, request } from "./request.ts"

export interface Loaded<A> {
  /** The newest answer. It stays while a newer one is loaded, and while the service is away. */
  readonly data: A | undefined
  readonly failure: Failure | undefined
  readonly isLoading: boolean
  readonly reload: () => void
}

export interface UseRequestOptions extends RequestOptions {
  /** Loads again this often, while the tab is visible. */
  readonly everyMillis?: number
  /** Shows what another path answered until this one does, as where pages of a list are turned. */
  readonly keep?: boolean
}

const awayRetryMillis = 3000

const asFailure = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure(0, error instanceof Error ? error.message : String(error))

/** Loads a path, again when the path or the key changes. Without a path it loads nothing. */
export const useRequest = <A>(path: string | undefined, options: UseRequestOptions = {}): Loaded<A> => {
  const [state, setState] = useState<Omit<Loaded<A>, "reload">>({
    data: undefined,
    failure: undefined,
    isLoading: true,
  })
  const [round, setRound] = useState(0)
  const optionsRef = useRef(options)
  optionsRef.current = options
  const shownPath = useRef<string | undefined>(undefined)
  const shownKey = useRef<string | undefined>(undefined)
  const currentKey = key.value

  useEffect(() => {
    if (path === undefined) {
      shownPath.current = undefined
      setState({ data: undefined, failure: undefined, isLoading: false })
      return
    }
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    // Another key may be another account's: nothing of the earlier one stays.
    const isOther = shownKey.current !== currentKey || (shownPath.current !== path && optionsRef.current.keep !== true)
    shownPath.current = path
    shownKey.current = currentKey
    setState((before) => ({
      data: isOther ? undefined : before.data,
      failure: isOther ? undefined : before.failure,
      isLoading: true,
    }))

    const later = (millis: number) => {
      timer = setTimeout(() => (document.hidden ? later(millis) : void load()), millis)
    }
    const load = async () => {
      const { everyMillis, keep: _, ...sent } = optionsRef.current
      try {
        const data = await request<A>(path, { ...sent, signal: abort.signal })
        setState({ data, failure: undefined, isLoading: false })
        if (everyMillis !== undefined) later(everyMillis)
      } catch (error) {
        if (abort.signal.aborted) return
        const failure = asFailure(error)
        setState((before) => ({ data: before.data, failure, isLoading: false }))
        if (failure.isAway || failure.status >= 500) later(awayRetryMillis)
        else if (failure.status === 429) later((failure.retryAfterSeconds ?? 5) * 1000)
      }
    }
    void load()
    return () => {
      abort.abort()
      clearTimeout(timer)
    }
  }, [path, round, currentKey])

  const reload = useCallback(() => setRound((n) => n + 1), [])
  // Before the effect of another path runs, it is not loading yet, but will be.
  return { ...state, isLoading: state.isLoading || shownPath.current !== path, reload }
}
