import { gatewayUrl } from "../shared/gateway.ts"
import { Notice, Show } from "../shared/ui/States.tsx"
import type { Index } from "./contract.ts"
import { useDocument } from "./documents.ts"
import { Markdown } from "./Markdown.tsx"

const scrollToAnchor = () => {
  const anchor = decodeURIComponent(location.hash.slice(1))
  if (anchor === "") return
  const heading = document.getElementById(anchor)
  heading?.scrollIntoView()
  heading?.focus({ preventScroll: true })
}

export const Guide = ({ name, index }: { readonly name: string; readonly index: Index }) => {
  const guide = index.guides.find((each) => each.name === name)
  if (guide === undefined)
    return (
      <Notice kind="error">
        <p>There is no guide "{name}".</p>
      </Notice>
    )
  return <Text name={name} />
}

/** The guides name the addresses of a fresh installation. Readers copy code, so it names those of this one. */
const withOwnAddresses = (text: string) =>
  text
    .replaceAll("ws://localhost:8081/ws", gatewayUrl)
    .replaceAll("http://localhost:8080", () => location.origin)
    .replaceAll("localhost:8080", () => location.host)

const Text = ({ name }: { readonly name: string }) => {
  const loaded = useDocument<string>(`/docs/${name}.md`)
  return (
    <Show loaded={loaded}>
      {(text) => (
        <>
          <p class="small muted">
            <a href={`/docs/${name}.md`} target="_blank" rel="noreferrer">
              This page as Markdown
            </a>
          </p>
          <Markdown text={withOwnAddresses(text)} onShown={scrollToAnchor} />
        </>
      )}
    </Show>
  )
}
