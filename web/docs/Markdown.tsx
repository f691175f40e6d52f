import { useEffect, useState } from "preact/hooks"

type ToHtml = (text: string) => string

let loaded: ToHtml | undefined

/** Markdown of our own documents. The parser is loaded with the first text. */
export const Markdown = ({ text, onShown }: { readonly text: string; readonly onShown?: () => void }) => {
  const [toHtml, setToHtml] = useState<ToHtml | undefined>(() => loaded)
  useEffect(() => {
    if (loaded !== undefined) return
    void import("./markdown.ts").then((module) => {
      loaded = module.toHtml
      setToHtml(() => module.toHtml)
    })
  }, [])
  useEffect(() => {
    if (toHtml !== undefined) onShown?.()
  }, [toHtml, text])
  if (toHtml === undefined) return <p class="docs-plain">{text}</p>
  return <div class="docs-prose" dangerouslySetInnerHTML={{ __html: toHtml(text) }} />
}
