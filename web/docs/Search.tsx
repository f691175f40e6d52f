import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import type { Index } from "./contract.ts"
import { entriesOf, search } from "./search.ts"

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)

/** Finds operations, guides, event types and messages. `/` puts the cursor here. */
export const Search = ({ index }: { readonly index: Index }) => {
  const { route } = useLocation()
  const input = useRef<HTMLInputElement>(null)
  const entries = useMemo(() => entriesOf(index), [index])
  const [query, setQuery] = useState("")
  const [chosen, setChosen] = useState(0)
  const hits = useMemo(() => search(entries, query), [entries, query])

  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || isTyping(event.target)) return
      event.preventDefault()
      input.current?.focus()
    }
    document.addEventListener("keydown", focus)
    return () => document.removeEventListener("keydown", focus)
  }, [])

  const open = (path: string) => {
    setQuery("")
    input.current?.blur()
    route(path)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setChosen((before) => Math.max(0, Math.min(hits.length - 1, before + step)))
    }
    if (event.key === "Escape") setQuery("")
    const hit = hits[chosen]
    if (event.key === "Enter" && hit !== undefined) open(hit.path)
  }
  return (
    <div class="docs-search">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Search the documentation"
        aria-expanded={hits.length > 0}
        aria-controls="search-hits"
        aria-autocomplete="list"
        {...(hits.length > 0 ? { "aria-activedescendant": `search-hit-${chosen}` } : {})}
        placeholder="Search: press /"
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKey}
      />
      <div id="search-hits" role="listbox" aria-label="Found" class="docs-hits" hidden={hits.length === 0}>
        {hits.map((hit, at) => (
          <div
            key={hit.path}
            id={`search-hit-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            onMouseDown={(event) => {
              event.preventDefault()
              open(hit.path)
            }}
          >
            {hit.title}
            <span class="small muted">{hit.detail}</span>
          </div>
        ))}
      </div>
      {query.trim() !== "" && hits.length === 0 && (
        <p class="small muted" role="status">
          Nothing contains all of these words.
        </p>
      )}
    </div>
  )
}
