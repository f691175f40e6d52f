import { useEffect, useState } from "preact/hooks"
import { Failure } from "../shared/request.ts"
import type { Loaded } from "../shared/useRequest.ts"

const kept = new Map<string, Promise<unknown>>()

/** Documents need no key, and the browser keeps them: it only asks whether they have changed. */
const read = async (path: string): Promise<unknown> => {
  const response = await fetch(path, { credentials: "omit" }).catch(() => {
    throw new Failure(0, "The service does not answer.", "It may be restarting.")
  })
  if (!response.ok) throw new Failure(response.status, `The service answered with status ${response.status}.`)
  return path.endsWith(".md") ? response.text() : response.json()
}

const load = (path: string): Promise<unknown> => {
  const found = kept.get(path) ?? read(path)
  kept.set(path, found)
  found.catch(() => kept.delete(path))
  return found
}

/** The part of the contract that a page shows; the whole is a megabyte. */
export const partPath = (kind: "operations" | "webhooks", name: string) =>
  `/docs/contract/${kind}/${encodeURIComponent(name)}`

/** A document of the service, loaded once for the page. */
export const useDocument = <A>(path: string): Loaded<A> => {
  const [state, setState] = useState<{ readonly path: string; readonly data?: A; readonly failure?: Failure }>({ path })
  const [round, setRound] = useState(0)
  useEffect(() => {
    let isCurrent = true
    const set = (next: { readonly data?: A; readonly failure?: Failure }) => isCurrent && setState({ path, ...next })
    load(path).then(
      (data) => set({ data: data as A }),
      (error: unknown) => set({ failure: error instanceof Failure ? error : new Failure(0, String(error)) }),
    )
    return () => {
      isCurrent = false
    }
  }, [path, round])
  const { data, failure } = state.path === path ? state : {}
  return {
    data,
    failure,
    isLoading: data === undefined && failure === undefined,
    reload: () => setRound((n) => n + 1),
  }
}
