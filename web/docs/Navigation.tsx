import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import type { Index } from "./contract.ts"

const wide = matchMedia("(min-width: 60rem)")

const Link = ({ path, children }: { readonly path: string; readonly children: string }) => {
  const { path: current } = useLocation()
  return (
    <li>
      <a href={path} {...(current === path ? { "aria-current": "page" as const } : {})}>
        {children}
      </a>
    </li>
  )
}

/** One tag of the reference; open where the reader is. */
const Tag = ({ name, index }: { readonly name: string; readonly index: Index }) => {
  const { path: current } = useLocation()
  const own = index.operations.filter(({ tag }) => tag === name)
  const isHere = own.some(({ id }) => current === `/docs/reference/${id}`)
  return (
    <details open={isHere}>
      <summary>{name}</summary>
      <ul>
        {own.map(({ id, summary }) => (
          <Link key={id} path={`/docs/reference/${id}`}>
            {summary}
          </Link>
        ))}
      </ul>
    </details>
  )
}

/** Guides and reference. On a small screen it opens on demand. */
export const Navigation = ({ index }: { readonly index: Index }) => {
  const { path } = useLocation()
  const [isWide, setWide] = useState(wide.matches)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const update = () => setWide(wide.matches)
    wide.addEventListener("change", update)
    return () => wide.removeEventListener("change", update)
  }, [])
  useEffect(() => setOpen(false), [path])
  return (
    <nav class="docs-nav" aria-label="Documentation">
      {!isWide && (
        <button
          type="button"
          class="outline secondary"
          aria-expanded={isOpen}
          aria-controls="docs-contents"
          onClick={() => setOpen(!isOpen)}
        >
          Contents
        </button>
      )}
      <div id="docs-contents" hidden={!isWide && !isOpen}>
        <h2>Guides</h2>
        <ul>
          {index.guides.map(({ name, title }) => (
            <Link key={name} path={`/docs/guides/${name}`}>
              {title}
            </Link>
          ))}
        </ul>
        <h2>Events</h2>
        <ul>
          <Link path="/docs/streams">Messages of the streams</Link>
          <Link path="/docs/webhooks">Deliveries to webhooks</Link>
        </ul>
        <h2>Reference</h2>
        {index.tags.map(({ name }) => (
          <Tag key={name} name={name} index={index} />
        ))}
      </div>
    </nav>
  )
}
