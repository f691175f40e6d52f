import { useEffect, useRef, useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import type { Index } from "./contract.ts"

const wide = matchMedia("(min-width: 60rem)")

/** Scrolls the contents, but not the page, until the link is in their middle. */
const showIn = (link: HTMLAnchorElement | null) => {
  const side = link?.closest(".docs-nav")
  if (!link || !side || !wide.matches) return
  const { top, bottom } = side.getBoundingClientRect()
  const at = link.getBoundingClientRect()
  if (at.top < top || at.bottom > bottom) side.scrollTop += at.top - (top + bottom) / 2
}

const Link = ({ path, children }: { readonly path: string; readonly children: string }) => {
  const { path: current } = useLocation()
  const isCurrent = current === path
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isCurrent) showIn(link.current)
  }, [isCurrent])
  return (
    <li>
      <a ref={link} href={path} {...(isCurrent ? { "aria-current": "page" as const } : {})}>
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
