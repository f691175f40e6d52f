import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"

/** A view of the dashboard: its title, what can be done here, and its content. */
export const Page = ({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) => {
  useEffect(() => {
    document.title = `${title} · Presage`
  }, [title])
  return (
    <>
      <header class="spread page-title">
        <h1>{title}</h1>
        <div class="row">{actions}</div>
      </header>
      {children}
    </>
  )
}

/** A titled box. */
export const Panel = ({
  title,
  tools,
  children,
}: {
  readonly title: string
  readonly tools?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <article class="panel">
    <header class="spread">
      <h2>{title}</h2>
      <div class="row">{tools}</div>
    </header>
    {children}
  </article>
)

export const Stat = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)
