import { useLocation } from "preact-iso"
import { withQuery } from "./request.ts"

type Query = Readonly<Record<string, string | undefined>>

/**
 * The query of the address, and how to change parts of it. `replace` adds no entry to the history of the tab, as fits
 * every letter of a search.
 */
export const useQueryState = (): readonly [Query, (changes: Query, replace?: boolean) => void] => {
  const { path, query, route } = useLocation()
  return [query, (changes, replace = false) => route(withQuery(path, { ...query, ...changes }), replace)]
}
