import type { ComponentChildren } from "preact"
import { useLocation } from "preact-iso"
import { cycleTheme, theme } from "../theme.ts"

export interface Section {
  readonly path: string
  readonly label: string
}

const pages: ReadonlyArray<Section> = [
  { path: "/explore", label: "Explore" },
  { path: "/dashboard", label: "Dashboard" },
  { path: "/docs", label: "Docs" },
]

const isWithin = (current: string, path: string) => current === path || current.startsWith(`${path}/`)

/** "Times are those of Europe/Berlin (GMT+1)." */
const aboutTimes = (() => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  if (timeZone === "UTC") return "Times are UTC."
  const parts = new Intl.DateTimeFormat("en", { timeZoneName: "shortOffset" }).formatToParts(new Date())
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value
  return `Times are those of ${timeZone}${offset === undefined ? "" : ` (${offset})`}. Point at one for UTC.`
})()

/** The header with navigation, and the content of a page. `sections` are the parts of this page. */
export const Frame = ({
  title,
  sections = [],
  tools,
  children,
}: {
  readonly title: string
  readonly sections?: ReadonlyArray<Section>
  readonly tools?: ComponentChildren
  readonly children: ComponentChildren
}) => {
  const { path: current } = useLocation()
  const deepest = sections
    .filter(({ path }) => isWithin(current, path))
    .sort((a, b) => b.path.length - a.path.length)[0]
  const link = ({ path, label }: Section, isCurrent: boolean) => (
    <a key={path} href={path} {...(isCurrent ? { "aria-current": "page" as const } : {})}>
      {label}
    </a>
  )
  return (
    <>
      <header class="frame-header">
        <div>
          <a class="frame-brand" href="/explore">
            Presage
          </a>
          <nav aria-label="Pages">{pages.map((page) => link(page, isWithin(current, page.path)))}</nav>
          <div class="frame-tools">
            {tools}
            <button type="button" class="small outline secondary" onClick={cycleTheme} title="Colours of the page">
              {`Theme: ${theme.value}`}
            </button>
          </div>
        </div>
        {sections.length > 0 && (
          <div>
            <nav aria-label={title}>{sections.map((section) => link(section, section === deepest))}</nav>
          </div>
        )}
      </header>
      <main class="frame-main">{children}</main>
      <footer class="frame-footer small muted">{aboutTimes}</footer>
    </>
  )
}
